import type { Services } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { insertExecutions, type NewExecution } from './queries.ts'

/**
 * Executions that changed nothing are written a few seconds after the response, so that a read operation takes no extra
 * statement. A process that crashes loses the executions of those few seconds. A process that ends normally writes the
 * buffered executions first.
 */
const buffers = new WeakMap<Services, ExecutionBuffer>()

interface ExecutionBuffer {
  waiting: NewExecution[]
  /** Statements that are currently writing executions. */
  underWay: Set<Promise<void>>
}

/**
 * The maximum number of executions held while the database is unavailable, about 20 MB. If there are more, the oldest
 * are lost.
 */
const MAX_BUFFERED = 2000
/** Rows per statement. */
const BATCH_ROWS = 200

export function bufferExecution(services: Services, created: NewExecution): void {
  const { waiting } = bufferOf(services)
  if (waiting.push(created) > MAX_BUFFERED) waiting.shift()
}

/**
 * Writes the executions in the buffer to the database. If the database is unavailable, throws and keeps the executions
 * in the buffer.
 */
export async function flushExecutions(services: Services): Promise<void> {
  const { waiting, underWay } = bufferOf(services)
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_ROWS)
    const writing = insertBatch(services, batch)
    underWay.add(writing)
    try {
      await writing
    } catch (error) {
      // An execution that can never be written must not block other executions.
      if (toProblem(error).status === 503) waiting.unshift(...batch)
      throw error
    } finally {
      underWay.delete(writing)
    }
  }
  // Executions that another call is writing are no longer in the buffer, but cannot be read yet.
  await Promise.allSettled(underWay)
}

async function insertBatch({ database }: Services, batch: NewExecution[]): Promise<void> {
  for (const [organizationId, own] of Map.groupBy(batch, (each) => each.organizationId))
    await insertExecutions(database.statements, organizationId, own)
}

function bufferOf(services: Services): ExecutionBuffer {
  let own = buffers.get(services)
  if (own === undefined) {
    own = { waiting: [], underWay: new Set() }
    buffers.set(services, own)
  }
  return own
}
