import { typeid } from 'typeid-js'
import type { Call } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { bufferExecution } from './execution-buffer.ts'
import { insertExecution, type NewExecution } from './queries.ts'
import { toStoredInput } from './stored-input.ts'

/** The skill or batch to execute. */
export interface ExecutionRequest {
  skill: string
  /** The name of the skill, or the names of the skills in a batch. */
  skills: readonly string[]
  input: unknown
  dryRun: boolean
  /** Whether the execution can change data. */
  writes: boolean
}

/** The maximum number of records in an execution. If a skill affects more records, its result lists them. */
const MAX_RESOURCES = 100

/**
 * Executes `work` and records it as an execution. Executions with changes are stored in the transaction of the changes,
 * so that every change by an agent has its execution. Executions without changes (reads, dry runs, and errors) are
 * stored later, and need no statement here.
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
