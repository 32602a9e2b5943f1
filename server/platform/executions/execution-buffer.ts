import type { Services } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { insertExecutions, type NewExecution } from './queries.ts'

/**
 * Executions that changed nothing are written a few seconds after the response, so that reading takes no extra
 * statement. A process that crashes loses those few seconds; one that ends normally writes them first.
 */
const buffers = new WeakMap<Services, ExecutionBuffer>()

interface ExecutionBuffer {
  waiting: NewExecution[]
  /** Statements that are writing some of them. */
  underWay: Set<Promise<void>>
}

/** The maximum held while the database is unavailable, about 20 MB. Beyond that the oldest are lost. */
const MAX_BUFFERED = 2000
/** Rows per statement. */
const BATCH_ROWS = 200

export function bufferExecution(services: Services, created: NewExecution): void {
  const { waiting } = bufferOf(services)
  if (waiting.push(created) > MAX_BUFFERED) waiting.shift()
}

/** Writes the held executions. While the database is unavailable they stay held, and this throws. */
export async function flushExecutions(services: Services): Promise<void> {
  const { waiting, underWay } = bufferOf(services)
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_ROWS)
    const writing = insertBatch(services, batch)
    underWay.add(writing)
    try {
      await writing
    } catch (error) {
      // An execution that can never be written must not block the others.
      if (toProblem(error).status === 503) waiting.unshift(...batch)
      throw error
    } finally {
      underWay.delete(writing)
    }
  }
  // Executions that another call is writing are no longer held, and not readable yet.
  await Promise.allSettled(underWay)
}

async function insertBatch({ database }: Services, batch: NewExecution[]): Promise<void> {
  await insertExecutions(database.statements, batch)
}

function bufferOf(services: Services): ExecutionBuffer {
  let own = buffers.get(services)
  if (own === undefined) {
    own = { waiting: [], underWay: new Set() }
    buffers.set(services, own)
  }
  return own
}
