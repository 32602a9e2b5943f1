import type { RawBuilder } from 'kysely'
import type { Database, Db } from './database.ts'

/** So many rows a statement, so that none holds locks or the embedded database for long. */
export const BATCH_ROWS = 5000

/**
 * Runs a statement that takes up to BATCH_ROWS rows until it takes fewer; each run is a transaction of its own, so that
 * what was done stays done when it is interrupted. `prepare` is run in each of them first.
 *
 * @returns how many rows were taken
 */
export async function inBatches(
  database: Database,
  statement: RawBuilder<unknown>,
  prepare?: (trx: Db) => Promise<void>,
): Promise<number> {
  let total = 0
  for (;;) {
    const { numAffectedRows = 0n } = await database.transaction(async (trx) => {
      await prepare?.(trx)
      return statement.execute(trx)
    })
    total += Number(numAffectedRows)
    if (numAffectedRows < BATCH_ROWS) return total
  }
}
