import type { RawBuilder } from 'kysely'
import type { Database, Db } from './database.ts'

/** Rows per statement, so that none holds locks or the embedded database for long. */
export const BATCH_ROWS = 5000

/**
 * Repeats a statement that takes up to BATCH_ROWS rows until it takes fewer. Each run is its own transaction, so
 * finished work survives an interruption. `prepare` runs first in each of them.
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
