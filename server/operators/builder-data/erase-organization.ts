import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { allowPostingErasure } from '../../domain/ledger/erasure.ts'
import { allowRemoval } from '../../platform/audit/retention.ts'
import type { Config } from '../../platform/config/config.ts'
import { BATCH_ROWS, inBatches } from '../../platform/database/batches.ts'
import type { Database, Db } from '../../platform/database/database.ts'
import { childrenFirst, type OwnedTable, ownedTables } from '../../platform/database/owned-tables.ts'
import { openFiles } from '../../platform/files/files.ts'
import { forgetStrangers } from '../../platform/keys/identity-retention.ts'
import { invalid, notFound } from '../../platform/problems/problem.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

/**
 * For tables whose indexes on the organization are partial: conditions that together cover the table, each served by an
 * index.
 */
export const PARTS: Record<string, readonly string[]> = {
  events: ['"sequence" is not null', '"sequence" is null'],
}

/** How many times to sweep for rows written by requests that were already in progress. */
const MOST_SWEEPS = 10

export interface Erased {
  organizationId: string
  /** How many rows of each table were removed. */
  erased: Record<string, number>
}

/**
 * Removes everything of a builder. Its keys are revoked first, then its files and its rows go, these in bounded batches,
 * each in a transaction, and the builder itself goes last, so that after any interruption it can be run again under the
 * same name. Once the builder is gone, the same call removes what may have been written at the last moment.
 */
export async function eraseOrganization(
  { database, clock, config }: { database: Database; clock: Clock; config: Config },
  organizationId: string,
  confirmedName: string,
  progress: (table: string, removed: number) => void = () => {},
): Promise<Erased> {
  const { store } = openFiles(config)
  const tables = childrenFirst(await ownedTables(database.statements))
  const erased: Record<string, number> = {}
  const sweep = async (): Promise<number> => {
    let total = 0
    await store.removeAll(organizationId)
    for (const table of tables) {
      const removed = await removeRows(database, table, organizationId)
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
    throw invalid([{ pointer: '--confirm', code: 'mismatch', message: 'must be the name of the builder' }])
  }
  await closeDoors(database, clock, organizationId)
  for (let attempt = 1; ; attempt++) {
    await sweep()
    if (await removeOrganization(database, organizationId, attempt === MOST_SWEEPS)) break
  }
  await transactionsUnderWay(database)
  await sweep()
  await forgetStrangers(database)
  return { organizationId, erased }
}

/** Longer than any request's transaction is left alone by PostgreSQL. */
const MOST_WAIT_MS = 30_000
const ASK_EVERY_MS = 50

/** Resolves when what is being written at this moment is committed or undone, so that the next sweep sees all of it. */
async function transactionsUnderWay({ statements }: Database): Promise<void> {
  const until = performance.now() + MOST_WAIT_MS
  const { rows } = await sql<{ next: string }>`select pg_current_xact_id()::text as "next"`.execute(statements)
  const next = rows[0]?.next ?? '0'
  while (performance.now() < until) {
    const { rows } = await sql<{ isOver: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > ${next}::bigint as "isOver"`.execute(statements)
    if (rows[0]?.isOver === true) return
    await delay(ASK_EVERY_MS)
  }
}

// Nobody is let in by a session any more. A revoked key is refused everywhere within a second, and no further deliveries are made.
async function closeDoors(database: Database, clock: Clock, organizationId: string): Promise<void> {
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

export interface Removal {
  /** Which of the rows go; all unless something is said. */
  only?: RawBuilder<unknown>
  /** Runs in each transaction before it removes anything. */
  prepare?: (trx: Db) => Promise<void>
}

/** Removes an organization's rows of a table, in batches of which each is a transaction; returns how many there were. */
export async function removeRows(
  database: Database,
  table: OwnedTable,
  organizationId: string,
  { only = sql`true`, prepare }: Removal = {},
): Promise<number> {
  // References within the table would block removal in any order.
  for (const { columns, to } of table.references) {
    if (to !== table.name) continue
    for (const column of columns.filter((name) => name !== 'organizationId')) {
      await inBatches(
        database,
        sql`update ${sql.table(table.name)} set ${sql.ref(column)} = null
          where "organizationId" = ${organizationId} and ${batchOf(table, organizationId, sql`${sql.ref(column)} is not null`)}`,
        { rows: batchRows(table) },
      )
    }
  }
  let removed = 0
  for (const part of PARTS[table.name] ?? ['true']) {
    const batch = batchOf(table, organizationId, sql`${sql.raw(part)} and ${only}`)
    const removing = sql`delete from ${sql.table(table.name)} where "organizationId" = ${organizationId} and ${batch}`
    removed += await inBatches(database, removing, {
      rows: batchRows(table),
      async prepare(trx) {
        if (table.name === 'auditEntries') await allowRemoval(trx)
        if (table.name === 'postings') await allowPostingErasure(trx)
        await prepare?.(trx)
      },
    })
  }
  return removed
}

// By the place on the disk where a key of several columns would have to be joined, which the planner may do by reading
// the whole table for each batch. Within one organization that is one place on a distributed database too; the tables
// that are on all its nodes have keys of one column (database/distribution.ts).
function batchOf(table: OwnedTable, organizationId: string, condition: RawBuilder<unknown>) {
  const [only, ...more] = table.key
  const row = only === undefined || more.length > 0 ? sql.ref('ctid') : sql.ref(only)
  return sql`${row} = any(array(
    select ${row} from ${sql.table(table.name)} where "organizationId" = ${organizationId} and ${condition} limit ${batchRows(table)}))`
}

// Five thousand vendors, to whom two dozen references lead, took three seconds on an idle database.
function batchRows({ referredBy }: OwnedTable): number {
  return Math.ceil(BATCH_ROWS / (1 + referredBy))
}

// 23503: something written after its table was swept still refers to it.
export const STILL_REFERRED_TO = '23503'

async function removeOrganization(database: Database, organizationId: string, isLast: boolean): Promise<boolean> {
  try {
    await database.transaction(async (trx) => {
      await trx.deleteFrom('organizations').where('id', '=', organizationId).execute()
      await trx.deleteFrom('limitWindows').where('scope', '=', `day:${organizationId}`).execute()
    })
    return true
  } catch (error) {
    if (isLast || (error as { code?: unknown }).code !== STILL_REFERRED_TO) throw error
    return false
  }
}
