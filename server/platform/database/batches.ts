import { type RawBuilder, sql } from 'kysely'
import type { Database, Db, Tables } from './database.ts'

/**
 * The number of rows per statement. The limit bounds how long a statement holds locks or occupies the embedded
 * database.
 */
export const BATCH_ROWS = 5000

interface BatchOptions {
  /** The maximum number of rows per statement. Defaults to BATCH_ROWS. */
  rows?: number
  /** Called at the start of each transaction. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Executes a statement that affects a limited number of rows, again and again until it affects fewer rows than the
 * limit. Each execution is a separate transaction, so finished work survives an interruption.
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

/** Lower than BATCH_ROWS, because each row is found by its key. */
const DELETION_BATCH_ROWS = 2000

/** The rows of all organizations to delete after their retention period. */
export interface BatchDeletion {
  table: keyof Tables
  /** The column that, alone or together with the condition, identifies a row within its organization. */
  key?: string
  /** The condition, on columns of the table itself. */
  where: RawBuilder<unknown>
  /** The order of deletion (oldest first), if there is an index for it. */
  orderBy?: RawBuilder<unknown>
  /**
   * A query that returns the `organizationId` and the `key` of each row. Use this query if the condition alone would
   * read the entire table.
   */
  found?: RawBuilder<unknown>
  /** Called at the start of each transaction that deletes rows. */
  prepare?(trx: Db): Promise<void>
}

/**
 * Deletes rows in batches, each in a separate transaction. Finds rows of all organizations, and then deletes them by
 * key within each organization. In a database that is distributed by organization, each such deletion runs on one node.
 * Deleting rows by physical location, which is otherwise faster, is not possible there. Deletion by key takes 8 µs of
 * database time per row instead of 1 µs, which is acceptable for a background job. Keeps rows that no longer match the
 * condition. Skips locked rows until the next run.
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
    // Use a connection of the pool, because the shared connections are for short statements.
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
    // If none of the rows in a full batch could be deleted, another process is deleting the same rows.
    if (rows.length < DELETION_BATCH_ROWS || removed === 0) return total
  }
}

/** The rows of all organizations to change once, for example after an upgrade. */
export interface BatchUpdate {
  table: keyof Tables
  /** The condition for rows that have not been changed yet. */
  where: RawBuilder<unknown>
  /** The assignments. Afterward, the row must no longer match the condition. */
  set: RawBuilder<unknown>
}

const CHANGE_BATCH_ROWS = 2000

/**
 * Changes rows in batches, each in a separate transaction. Like `deleteInBatches`, changes rows by key within each
 * organization. Skips locked rows until the next run.
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
    // If none of the rows in a full batch could be changed, another process is changing the same rows.
    if (rows.length < CHANGE_BATCH_ROWS || changed === 0) return total
  }
}
