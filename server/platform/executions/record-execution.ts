import { typeid } from 'typeid-js'
import type { Call } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { bufferExecution } from './execution-buffer.ts'
import { insertExecution, type NewExecution } from './queries.ts'
import { toStoredInput } from './stored-input.ts'

/** The skill or batch to execute. */
export interface ExecutionRequest {
  skill: string
  /** The skill, or the skills of a batch. */
  skills: readonly string[]
  input: unknown
  dryRun: boolean
  /** Whether the execution can change anything. */
  writes: boolean
}

/**
 * The maximum number of records that an execution names. A skill that affects more records lists them in its result.
 */
const MAX_RESOURCES = 100

/**
 * Runs the work and records it as an execution. Executions with changes are recorded in the transaction of these
 * changes, so every change by an agent has its execution. Reads, dry runs, and errors are written later, and need no
 * statement here.
 */
export async function runAndRecordExecution<T>(
  call: Call,
  requested: ExecutionRequest,
  work: (call: Call, execution: { id: string; elapsedMs(): number }) => Promise<T>,
): Promise<T> {
  const started = performance.now()
  const id = typeid('exe').toString()
  const elapsedMs = () => Math.round(performance.now() - started)
  const created = (ended: ExecutionOutcome): NewExecution => toExecution(call, id, requested, elapsedMs(), ended)
  const changes = requested.writes && !requested.dryRun
  try {
    if (changes)
      return await call.write(async (call) => {
        const before = call.events.length
        const done = await work(call, { id, elapsedMs })
        const ids = new Set(call.events.slice(before).map(({ resourceId }) => resourceId))
        await insertExecution(
          call,
          created({ status: 'done', changed: true, resourceIds: [...ids].slice(0, MAX_RESOURCES) }),
        )
        return done
      })
    const done = await work(call, { id, elapsedMs })
    bufferExecution(call.services, created({ status: 'done' }))
    return done
  } catch (error) {
    const { status, code } = toProblem(error)
    bufferExecution(call.services, created({ status: status < 500 ? 'refused' : 'failed', problem: code }))
    throw error
  }
}

type ExecutionOutcome = Pick<NewExecution, 'status'> &
  Partial<Pick<NewExecution, 'problem' | 'changed' | 'resourceIds'>>

function toExecution(
  { organizationId, actor, now, requestId, services }: Call,
  id: string,
  { skill, skills, input, dryRun }: ExecutionRequest,
  durationMs: number,
  { status, problem = null, changed = false, resourceIds = [] }: ExecutionOutcome,
): NewExecution {
  const at = now.toISOString()
  const stored = toStoredInput(services.contract, input)
  return {
    ...{ organizationId, id, skill, skills: [...new Set(skills)], input: stored, dryRun, status, problem },
    ...{ changed, resourceIds, durationMs, requestId, version: 1, createdBy: actor, createdAt: at, updatedAt: at },
  }
}
