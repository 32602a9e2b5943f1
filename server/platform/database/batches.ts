import { type RawBuilder, sql } from 'kysely'
import type { Database, Db, Tables } from './database.ts'

/** Rows per statement, limited so that no statement holds locks or occupies the embedded database for long. */
export const BATCH_ROWS = 5000

interface BatchOptions {
  /** The maximum number of rows per statement. Defaults to BATCH_ROWS. */
  rows?: number
  /** Runs at the start of each transaction. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Repeats a statement that affects a limited number of rows until it affects fewer rows than the limit. Each run is a
 * separate transaction, so finished work survives an interruption.
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

/** This number is lower than BATCH_ROWS, because each row is found by its key. */
const DELETION_BATCH_ROWS = 2000

/** Rows of any organization to delete after their retention period. */
export interface BatchDeletion {
  table: keyof Tables
  /** The column that identifies a row within its organization, alone or together with the condition. */
  key?: string
  /** The condition on the table's own columns. */
  where: RawBuilder<unknown>
  /** The order of deletion, oldest first, if an index supports it. */
  orderBy?: RawBuilder<unknown>
  /**
   * A query that returns the `organizationId` and `key` of each row, for a condition that would otherwise read the
   * whole table.
   */
  found?: RawBuilder<unknown>
  /** Runs at the start of each transaction that deletes rows. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Deletes rows in batches, each in its own transaction. Rows are found across organizations and deleted by key within
 * each organization. On a database that is distributed by organization, such a deletion runs on one node, and rows
 * cannot be deleted by their physical location. Deleting by key costs 8 µs of database time per row instead of 1 µs, in
 * the background. Rows that no longer match the condition are kept. Locked rows are skipped until the next run.
 *
 * @returns the number of deleted rows
 */
export async function deleteInBatches(database: Database, removal: BatchDeletion): Promise<number> {
  const { table, key = 'id', where, orderBy, prepare } = removal
  const found =
    removal.found ??
    sql`select "organizationId", ${sql.ref(key)} as "key" from ${sql.table(table)} where ${where}
      ${orderBy === undefined ? sql`` : sql`order by ${orderBy}`}`
  let total = 0
  for (;;) {
    // Uses a connection of the pool, because the shared connections are for short statements.
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
    // If no row of a full batch is left to delete, another process is deleting the same rows.
    if (rows.length < DELETION_BATCH_ROWS || removed === 0) return total
  }
}

/** Rows of any organization to change once, for example after an upgrade. */
export interface BatchUpdate {
  table: keyof Tables
  /** The rows that have not been changed yet. */
  where: RawBuilder<unknown>
  /** The assignments, after which the condition no longer applies. */
  set: RawBuilder<unknown>
}

const CHANGE_BATCH_ROWS = 2000

/**
 * Changes rows in batches, each in its own transaction and by key within each organization, as `deleteInBatches` does.
 * Locked rows are skipped until the next run.
 *
 * @returns the number of changed rows
 */
export async function updateInBatches(database: Database, { table, where, set }: BatchUpdate): Promise<number> {
  let total = 0
  for (;;) {
    const { rows } = await database.transaction((trx) =>
      sql<{ organizationId: string; id: string }>`
        select "organizationId", "id" from ${sql.table(table)} where ${where} limit ${CHANGE_BATCH_ROWS}`.execute(trx),
    )
    const changed = await database.transaction(async (trx) => {
      let count = 0
      for (const [organizationId, own] of Map.groupBy(rows, (row) => row.organizationId)) {
        const ids = own.map(({ id }) => id)
        const { numAffectedRows = 0n } = await sql`
          update ${sql.table(table)} set ${set} where "organizationId" = ${organizationId} and "id" = any(array(
            select "id" from ${sql.table(table)}
            where "organizationId" = ${organizationId} and "id" = any(${ids}::text[]) and (${where})
            for update skip locked))`.execute(trx)
        count += Number(numAffectedRows)
      }
      return count
    })
    total += changed
    // If nothing was changed in a full batch, another process is changing the same rows.
    if (rows.length < CHANGE_BATCH_ROWS || changed === 0) return total
  }
}
