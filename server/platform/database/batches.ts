import { type RawBuilder, sql } from 'kysely'
import type { Database, Db, Tables } from './database.ts'

/** Rows per statement, so that none holds locks or the embedded database for long. */
export const BATCH_ROWS = 5000

interface BatchOptions {
  /** The maximum rows per statement. Defaults to BATCH_ROWS. */
  rows?: number
  /** Runs first in each transaction. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Repeats a statement that affects a limited number of rows until it affects fewer. Each run is its own transaction, so
 * finished work survives an interruption.
 *
 * @returns the number of rows
 */
export async function runInBatches(
  database: Database,
  statement: RawBuilder<unknown>,
  { rows = BATCH_ROWS, prepare }: BatchOptions = {},
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

/** Fewer, because each row is found by its key. */
const DELETION_BATCH_ROWS = 2000

/** Rows of any organization to delete after their retention period. */
export interface Deletion {
  table: keyof Tables
  /** The column that identifies them within their organization, alone or together with the condition. */
  key?: string
  /** The condition on the table's own columns. */
  where: RawBuilder<unknown>
  /** The order, oldest first, if an index has it. */
  orderBy?: RawBuilder<unknown>
  /** A query of each row's `organizationId` and `key`, if the condition alone would read the whole table. */
  found?: RawBuilder<unknown>
  /** Runs first in each transaction that deletes. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Deletes rows in batches, each in its own transaction. Rows are found across organizations and deleted by key within
 * each organization. On a database that is distributed by organization, such a statement runs on one node, and rows
 * there cannot be deleted by their place on the disk. This costs the database 8 µs a row instead of 1, in the
 * background. Rows that no longer match the condition stay, and locked ones are skipped until the next run.
 *
 * @returns the number of deleted rows
 */
export async function deleteInBatches(database: Database, removal: Deletion): Promise<number> {
  const { table, key = 'id', where, orderBy, prepare } = removal
  const found =
    removal.found ??
    sql`select "organizationId", ${sql.ref(key)} as "key" from ${sql.table(table)} where ${where}
      ${orderBy === undefined ? sql`` : sql`order by ${orderBy}`}`
  let total = 0
  for (;;) {
    // Uses a connection of the pool, because the shared ones are for short statements.
    const { rows } = await database.transaction((trx) =>
      sql<{ organizationId: string; key: string }>`${found} limit ${DELETION_BATCH_ROWS}`.execute(trx),
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
    // If nothing is left of a full batch, another process is deleting the same rows.
    if (rows.length < DELETION_BATCH_ROWS || removed === 0) return total
  }
}
