import { type RawBuilder, sql } from 'kysely'
import type { Database, Db, Tables } from './database.ts'

/** Rows per statement, so that none holds locks or the embedded database for long. */
export const BATCH_ROWS = 5000

interface Batches {
  /** How many rows the statement takes at most; BATCH_ROWS unless something is said. */
  rows?: number
  /** Runs first in each transaction. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Repeats a statement that takes some rows until it takes fewer. Each run is its own transaction, so finished work
 * survives an interruption.
 *
 * @returns how many rows were taken
 */
export async function inBatches(
  database: Database,
  statement: RawBuilder<unknown>,
  { rows = BATCH_ROWS, prepare }: Batches = {},
): Promise<number> {
  let total = 0
  for (;;) {
    const { numAffectedRows = 0n } = await database.transaction(async (trx) => {
      await prepare?.(trx)
      return statement.execute(trx)
    })
    total += Number(numAffectedRows)
    if (numAffectedRows < rows) return total
  }
}

/** Fewer, because each is looked for by its key. */
const REMOVAL_ROWS = 2000

/** Rows of any organization whose time is over. */
export interface Removal {
  table: keyof Tables
  /** The column that names them within their organization, alone or together with what holds for them. */
  key?: string
  /** What holds for them, by the table's own columns. */
  where: RawBuilder<unknown>
  /** The oldest first, where an index has them in this order. */
  orderBy?: RawBuilder<unknown>
  /** Selects each one's `organizationId` and `key`, where the condition alone would read the whole table. */
  found?: RawBuilder<unknown>
  /** Runs first in each transaction that removes. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Removes rows in batches, each in a transaction of its own. They are found across organizations and removed within
 * each by their keys, so that a removal names its organization: on a database that is distributed by organization it
 * goes to one node, and nothing there can remove by a place on the disk. That costs the database 8 µs a row in place of
 * 1, in the background. What has changed since it was found, and is no longer to be removed, stays, and what somebody
 * holds is passed over until the next time.
 *
 * @returns how many rows were removed
 */
export async function removeInBatches(database: Database, removal: Removal): Promise<number> {
  const { table, key = 'id', where, orderBy, prepare } = removal
  const found =
    removal.found ??
    sql`select "organizationId", ${sql.ref(key)} as "key" from ${sql.table(table)} where ${where}
      ${orderBy === undefined ? sql`` : sql`order by ${orderBy}`}`
  let total = 0
  for (;;) {
    // On a connection of the pool, because the shared ones are for what takes no time.
    const { rows } = await database.transaction((trx) =>
      sql<{ organizationId: string; key: string }>`${found} limit ${REMOVAL_ROWS}`.execute(trx),
    )
    const removed = await database.transaction(async (trx) => {
      await prepare?.(trx)
      let count = 0
      for (const [organizationId, own] of Map.groupBy(rows, (row) => row.organizationId)) {
        const keys = own.map((row) => row.key)
        const { numAffectedRows = 0n } = await sql`
          delete from ${sql.table(table)} where "organizationId" = ${organizationId} and ${sql.ref(key)} = any(array(
            select ${sql.ref(key)} from ${sql.table(table)}
            where "organizationId" = ${organizationId} and ${sql.ref(key)} = any(${keys}::text[]) and (${where})
            for update skip locked)) and (${where})`.execute(trx)
        count += Number(numAffectedRows)
      }
      return count
    })
    total += removed
    // Nothing was left of a whole batch: another process is removing the same.
    if (rows.length < REMOVAL_ROWS || removed === 0) return total
  }
}
