import type { Surroundings } from '../calls/call.ts'
import { toProblem } from '../problems/problem.ts'
import { insertAll, type NewExecution } from './queries.ts'

/**
 * Executions that changed nothing are written down behind the answer, a few seconds later, so that reading costs no
 * statement for it. A process that crashes loses those few seconds; one that ends writes them first.
 */
const held = new WeakMap<Surroundings, Held>()

interface Held {
  waiting: NewExecution[]
  /** Statements that are writing some of them. */
  underWay: Set<Promise<void>>
}

/** So many are held while the database is away, 20 MB or so; of more, the oldest are lost. */
const MOST_HELD = 2000
/** Rows of one statement. */
const BATCH_ROWS = 200

export function writeLater(surroundings: Surroundings, made: NewExecution): void {
  const { waiting } = heldBy(surroundings)
  if (waiting.push(made) > MOST_HELD) waiting.shift()
}

/** Writes down what is held. While the database is away it stays held; throws that it is. */
export async function writeHeldExecutions(surroundings: Surroundings): Promise<void> {
  const { waiting, underWay } = heldBy(surroundings)
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_ROWS)
    const writing = write(surroundings, batch)
    underWay.add(writing)
    try {
      await writing
    } catch (error) {
      // What can never be written must not keep the others waiting.
      if (toProblem(error).status === 503) waiting.unshift(...batch)
      throw error
    } finally {
      underWay.delete(writing)
    }
  }
  // What somebody else is writing is held no more, and not there yet.
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
