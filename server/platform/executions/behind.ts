import type { Surroundings } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { insertAll, type NewExecution } from './queries.ts'

/**
 * Executions that changed nothing are written a few seconds after the response, so that reading takes no extra
 * statement. A process that crashes loses those few seconds; one that ends normally writes them first.
 */
const held = new WeakMap<Surroundings, Held>()

interface Held {
  waiting: NewExecution[]
  /** Statements that are writing some of them. */
  underWay: Set<Promise<void>>
}

/** The maximum held while the database is unavailable, about 20 MB. Beyond that the oldest are lost. */
const MOST_HELD = 2000
/** Rows per statement. */
const BATCH_ROWS = 200

export function writeLater(surroundings: Surroundings, made: NewExecution): void {
  const { waiting } = heldBy(surroundings)
  if (waiting.push(made) > MOST_HELD) waiting.shift()
}

/** Writes the held executions. While the database is unavailable they stay held, and this throws. */
export async function writeHeldExecutions(surroundings: Surroundings): Promise<void> {
  const { waiting, underWay } = heldBy(surroundings)
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_ROWS)
    const writing = write(surroundings, batch)
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

async function write({ database }: Surroundings, batch: NewExecution[]): Promise<void> {
  await insertAll(database.statements, batch)
}

function heldBy(surroundings: Surroundings): Held {
  let own = held.get(surroundings)
  if (own === undefined) {
    own = { waiting: [], underWay: new Set() }
    held.set(surroundings, own)
  }
  return own
}
