import type { Services } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { insertExecutions, type NewExecution } from './queries.ts'

/**
 * Executions without changes are stored a few seconds after the response, so that reads need no additional statement. A
 * process that crashes loses the executions of these seconds. A process that ends normally stores them first.
 */
const buffers = new WeakMap<Services, ExecutionBuffer>()

interface ExecutionBuffer {
  waiting: NewExecution[]
  /** The statements that are currently storing executions. */
  underWay: Set<Promise<void>>
}

/**
 * The maximum number of executions in the buffer while the database is unavailable, which is about 20 MB. If there are
 * more, the oldest are lost.
 */
const MAX_BUFFERED = 2000
/** The number of rows per statement. */
const BATCH_ROWS = 200

export function bufferExecution(services: Services, created: NewExecution): void {
  const { waiting } = bufferOf(services)
  if (waiting.push(created) > MAX_BUFFERED) waiting.shift()
}

/** Stores the executions in the buffer. If the database is unavailable, throws and keeps them in the buffer. */
export async function flushExecutions(services: Services): Promise<void> {
  const { waiting, underWay } = bufferOf(services)
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_ROWS)
    const writing = insertBatch(services, batch)
    underWay.add(writing)
    try {
      await writing
    } catch (error) {
      // An execution that can never be stored must not block the others.
      if (toProblem(error).status === 503) waiting.unshift(...batch)
      throw error
    } finally {
      underWay.delete(writing)
    }
  }
  // Executions that another call is currently storing are no longer in the buffer, but cannot be read yet.
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
