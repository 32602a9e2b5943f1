import type { Surroundings } from '../http/call.ts'
import { toProblem } from '../http/problem.ts'
import { insertAll, type NewExecution } from './queries.ts'

/**
 * Executions that changed nothing are written down behind the answer, a few seconds later, so that reading costs no
 * statement for it. A process that crashes loses those few seconds; one that ends writes them first.
 */
const held = new WeakMap<Surroundings, NewExecution[]>()

/** So many are held while the database is away, 20 MB or so; of more, the oldest are lost. */
const MOST_HELD = 2000
/** Rows of one statement. */
const BATCH_ROWS = 200

export function writeLater(surroundings: Surroundings, made: NewExecution): void {
  const waiting = held.get(surroundings)
  if (waiting === undefined) held.set(surroundings, [made])
  else if (waiting.push(made) > MOST_HELD) waiting.shift()
}

/** Writes down what is held. While the database is away it stays held; throws that it is. */
export async function writeHeldExecutions(surroundings: Surroundings): Promise<void> {
  const waiting = held.get(surroundings) ?? []
  while (waiting.length > 0) {
    const batch = waiting.splice(0, BATCH_ROWS)
    try {
      await insertAll(surroundings.database.statements, batch)
    } catch (error) {
      // What can never be written must not keep the others waiting.
      if (toProblem(error).status === 503) waiting.unshift(...batch)
      throw error
    }
  }
}
