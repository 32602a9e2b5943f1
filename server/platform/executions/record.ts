import { typeid } from 'typeid-js'
import type { Call } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { writeLater } from './behind.ts'
import { keptInput } from './input.ts'
import { insert, type NewExecution } from './queries.ts'

/** The call to execute. */
export interface Wanted {
  skill: string
  /** The skill, or those of a batch. */
  skills: readonly string[]
  input: unknown
  dryRun: boolean
  /** Whether it can change anything. */
  writes: boolean
}

/** The maximum number of records named. A skill with more has them in its result. */
const MOST_RESOURCES = 100

/**
 * Runs work and records it. Changes are recorded in their transaction, so no change of an agent is without its
 * execution. Reads, dry runs, and errors are written later, and take no statement here.
 */
export async function recorded<T>(
  call: Call,
  wanted: Wanted,
  work: (call: Call, execution: { id: string; elapsedMs(): number }) => Promise<T>,
): Promise<T> {
  const started = performance.now()
  const id = typeid('exe').toString()
  const elapsedMs = () => Math.round(performance.now() - started)
  const made = (ended: Ended): NewExecution => executionOf(call, id, wanted, elapsedMs(), ended)
  const changes = wanted.writes && !wanted.dryRun
  try {
    if (changes)
      return await call.write(async (call) => {
        const before = call.events.length
        const done = await work(call, { id, elapsedMs })
        const ids = new Set(call.events.slice(before).map(({ resourceId }) => resourceId))
        await insert(call, made({ status: 'done', changed: true, resourceIds: [...ids].slice(0, MOST_RESOURCES) }))
        return done
      })
    const done = await work(call, { id, elapsedMs })
    writeLater(call.surroundings, made({ status: 'done' }))
    return done
  } catch (error) {
    const { status, code } = toProblem(error)
    writeLater(call.surroundings, made({ status: status < 500 ? 'refused' : 'failed', problem: code }))
    throw error
  }
}

type Ended = Pick<NewExecution, 'status'> & Partial<Pick<NewExecution, 'problem' | 'changed' | 'resourceIds'>>

function executionOf(
  { organizationId, actor, now, requestId, surroundings }: Call,
  id: string,
  { skill, skills, input, dryRun }: Wanted,
  durationMs: number,
  { status, problem = null, changed = false, resourceIds = [] }: Ended,
): NewExecution {
  const at = now.toISOString()
  const kept = keptInput(surroundings.contract, input)
  return {
    ...{ organizationId, id, skill, skills: [...new Set(skills)], input: kept, dryRun, status, problem },
    ...{ changed, resourceIds, durationMs, requestId, version: 1, createdBy: actor, createdAt: at, updatedAt: at },
  }
}
