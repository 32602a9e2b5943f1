import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { allowPostingErasure } from '../../domain/ledger/erasure.ts'
import { allowEntryDeletion } from '../../platform/audit/delete-old-entries.ts'
import type { Config } from '../../platform/config/config.ts'
import { BATCH_ROWS, runInBatches } from '../../platform/database/batches.ts'
import type { Database, Db } from '../../platform/database/database.ts'
import { listOwnedTables, type OwnedTable, sortChildrenFirst } from '../../platform/database/owned-tables.ts'
import { openFiles } from '../../platform/files/files.ts'
import { deleteUnusedIdentities } from '../../platform/keys/delete-old-identities.ts'
import { notFound, validationFailed } from '../../platform/problems/problem.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

/**
 * Conditions for tables that have only partial indexes on the organization. Together, the conditions of a table cover
 * all of its rows, and each has an index.
 */
export const TABLE_PARTS: Record<string, readonly string[]> = {
  events: ['"sequence" is not null', '"sequence" is null'],
}

/** The maximum number of passes over the tables, in case requests in progress write more rows. */
const MAX_SWEEPS = 10

export interface ErasedOrganization {
  organizationId: string
  /** The number of deleted rows by table. */
  erased: Record<string, number>
}

/**
 * Erases a builder. First revokes its API keys. Then deletes its files and rows, in batches with one transaction each,
 * and finally the builder itself, so that the command can be repeated after an interruption. After that, deletes rows
 * that were written at the last moment.
 */
export async function eraseOrganization(
  { database, clock, config }: { database: Database; clock: Clock; config: Config },
  organizationId: string,
  confirmedName: string,
  progress: (table: string, removed: number) => void = () => {},
): Promise<ErasedOrganization> {
  const { store } = openFiles(config)
  const tables = sortChildrenFirst(await listOwnedTables(database.statements))
  const erased: Record<string, number> = {}
  const sweep = async (): Promise<number> => {
    let total = 0
    await store.removeAll(organizationId)
    for (const table of tables) {
      const removed = await deleteOrganizationRows(database, table, organizationId)
      if (removed === 0) continue
      total += removed
      erased[table.name] = (erased[table.name] ?? 0) + removed
      progress(table.name, removed)
    }
    return total
  }
  const organization = await database.statements
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  if (organization === undefined) {
    if ((await sweep()) === 0) throw notFound()
    return { organizationId, erased }
  }
  if (organization.name !== confirmedName) {
    throw validationFailed([{ pointer: '--confirm', code: 'mismatch', message: 'must be the name of the builder' }])
  }
  await revokeAccess(database, clock, organizationId)
  for (let attempt = 1; ; attempt++) {
    await sweep()
    if (await removeOrganization(database, organizationId, attempt === MAX_SWEEPS)) break
  }
  await waitForTransactions(database)
  await sweep()
  await deleteUnusedIdentities(database)
  return { organizationId, erased }
}

/**
 * The maximum time to wait, which is three times the default statement timeout. A request's transaction usually ends
 * within the time of a few statements.
 */
const MAX_WAIT_MS = 30_000
const POLL_INTERVAL_MS = 50

/** Resolves when all current transactions have ended, so that the next pass sees their rows. */
async function waitForTransactions({ statements }: Database): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS
  const { rows } = await sql<{ next: string }>`select pg_current_xact_id()::text as "next"`.execute(statements)
  const next = rows[0]?.next ?? '0'
  while (performance.now() < until) {
    const { rows } = await sql<{ isOver: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > ${next}::bigint as "isOver"`.execute(statements)
    if (rows[0]?.isOver === true) return
    await delay(POLL_INTERVAL_MS)
  }
}

// Ends all access: sessions become invalid, the service rejects the API keys within a second, and no more deliveries
// are sent.
async function revokeAccess(database: Database, clock: Clock, organizationId: string): Promise<void> {
  const now = clock.now()
  await database.transaction(async (trx) => {
    await trx
      .updateTable('apiKeys')
      .set({ revokedAt: now, updatedAt: now })
      .where('organizationId', '=', organizationId)
      .where('revokedAt', 'is', null)
      .execute()
    await trx
      .updateTable('users')
      .set({ status: 'disabled', updatedAt: now })
      .where('organizationId', '=', organizationId)
      .execute()
    await trx
      .updateTable('webhooks')
      .set({ archivedAt: now, updatedAt: now })
      .where('organizationId', '=', organizationId)
      .where('archivedAt', 'is', null)
      .execute()
  })
}

export interface RemovalOptions {
  /** The condition for the rows to delete; by default, all rows. */
  only?: RawBuilder<unknown>
  /** Called in each transaction before it deletes rows. */
  prepare?: (trx: Db) => Promise<void>
}

/** Deletes an organization's rows from a table, in batches with one transaction each. Returns the number of rows. */
export async function deleteOrganizationRows(
  database: Database,
  table: OwnedTable,
  organizationId: string,
  { only = sql`true`, prepare }: RemovalOptions = {},
): Promise<number> {
  // Removes references within the table first, because they would prevent deletion in any order.
  for (const { columns, to } of table.references) {
    if (to !== table.name) continue
    for (const column of columns.filter((name) => name !== 'organizationId')) {
      await runInBatches(
        database,
        sql`update ${sql.table(table.name)} set ${sql.ref(column)} = null
          where "organizationId" = ${organizationId} and ${selectBatch(table, organizationId, sql`${sql.ref(column)} is not null`)}`,
        { rows: batchSize(table) },
      )
    }
  }
  let removed = 0
  for (const part of TABLE_PARTS[table.name] ?? ['true']) {
    const batch = selectBatch(table, organizationId, sql`${sql.raw(part)} and ${only}`)
    const removing = sql`delete from ${sql.table(table.name)} where "organizationId" = ${organizationId} and ${batch}`
    removed += await runInBatches(database, removing, {
      rows: batchSize(table),
      async prepare(trx) {
        if (table.name === 'auditEntries') await allowEntryDeletion(trx)
        if (table.name === 'postings') await allowPostingErasure(trx)
        await prepare?.(trx)
      },
    })
  }
  return removed
}

// Returns SQL that selects the rows of a batch. If the primary key has several columns, rows are selected by their
// location on disk, because a join on these columns could read the whole table for each batch. This also works on a
// distributed database, because all rows of an organization are on one node. Tables that are on all nodes have a
// primary key with one column (see database/distribution.ts).
function selectBatch(table: OwnedTable, organizationId: string, condition: RawBuilder<unknown>) {
  const [only, ...more] = table.key
  const row = only === undefined || more.length > 0 ? sql.ref('ctid') : sql.ref(only)
  return sql`${row} = any(array(
    select ${row} from ${sql.table(table.name)} where "organizationId" = ${organizationId} and ${condition} limit ${batchSize(table)}))`
}

// Returns the number of rows in a batch. The more references there are to a table, the longer a deletion takes: for
// five thousand vendors, with two dozen references, three seconds on an idle database.
function batchSize({ referredBy }: OwnedTable): number {
  return Math.ceil(BATCH_ROWS / (1 + referredBy))
}

// The error code 23503: another row refers to the deleted row. The other row was written after its table was emptied.
export const FOREIGN_KEY_VIOLATION = '23503'

async function removeOrganization(database: Database, organizationId: string, isLast: boolean): Promise<boolean> {
  try {
    await database.transaction(async (trx) => {
      await trx.deleteFrom('organizations').where('id', '=', organizationId).execute()
      await trx.deleteFrom('limitWindows').where('scope', '=', `day:${organizationId}`).execute()
    })
    return true
  } catch (error) {
    if (isLast || (error as { code?: unknown }).code !== FOREIGN_KEY_VIOLATION) throw error
    return false
  }
}
