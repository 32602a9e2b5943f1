import { sql } from 'kysely'
import { pino } from 'pino'
import { createApp } from '../../interfaces/app.ts'
import { operations, repeats } from '../../interfaces/operations.ts'
import { recordOperatorAction } from '../../platform/audit/record-audit-entries.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { loadContract } from '../../platform/calls/contract.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database, Db } from '../../platform/database/database.ts'
import { createSystemCallInTransaction } from '../../platform/keys/principals.ts'
import { FailureLog } from '../../platform/problems/failure-log.ts'
import { notFound } from '../../platform/problems/problem.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { readOwnVersion } from '../../platform/runtime/version.ts'
import { EXPORT_KINDS, type ExportKind, OMITTED_TABLES, type StoredRow, toColumnListSql } from './export-kinds.ts'
import { EXPORT_FORMAT, toExportLine } from './export-line.ts'
import { buildRowsHeader, listExportedTables, writeRows } from './stored-rows.ts'

/**
 * The maximum number of records in memory. The largest record, a bid request with hundreds of lines, has about 400 kB.
 */
const PAGE_ROWS = 200

export interface ExportProgress {
  kind: string
  written: number
  of: number
}

/**
 * Exports all data of a builder as lines of JSON. The first line describes the others. Reads the data page by page in
 * one transaction with a single snapshot, so that concurrent changes do not affect the export and memory use does not
 * depend on the amount of data. Waits for each `write`, which may be as slow as its destination.
 *
 * @param options `forImport` adds the stored rows, from which `importOrganization` restores the builder
 */
export async function exportOrganization(
  { database, config }: { database: Database; config: Config },
  organizationId: string,
  write: (lines: string) => Promise<void>,
  progress: (progress: ExportProgress) => void = () => {},
  { forImport = false }: { forImport?: boolean } = {},
): Promise<{ organizationId: string; at: string; counts: Record<string, number> }> {
  const clock = new Clock()
  const contract = loadContract()
  const log = pino({ level: 'silent' })
  const app = createApp({
    ...{
      config,
      contract,
      handlers: operations,
      repeats,
      database,
      clock,
      log,
      failures: new FailureLog(database, log),
    },
    eventsCommitted() {},
    deliveriesDue() {},
  })
  try {
    const exported = await database.transaction(async (trx) => {
      await sql`set transaction isolation level repeatable read, read only`.execute(trx)
      const organization = await findOrganizationRow(trx, organizationId)
      const call = await createSystemCallInTransaction(app.services, trx, organizationId)
      const at = clock.now().toISOString()
      const counts = await countRows(trx, organizationId)
      const tables = forImport ? await listExportedTables(trx) : []
      const about = {
        ...{ format: EXPORT_FORMAT, version: readOwnVersion(), at, organizationId, counts, leftOut: OMITTED_TABLES },
        ...(forImport && { import: await buildRowsHeader(trx, organizationId, tables) }),
      }
      await write(toExportLine(contract, 'export', about) + toExportLine(contract, 'organization', organization))
      for (const kind of EXPORT_KINDS) {
        await writeKind(call, kind, write, (written) =>
          progress({ kind: kind.kind, written, of: counts[kind.kind] ?? 0 }),
        )
      }
      const source = { db: trx, organizationId, contract, encryptionKey: config.encryptionKey }
      for (const table of tables) {
        await writeRows(source, table, write, (written) =>
          progress({ kind: `rows of ${table.name}`, written, of: about.import?.rows[table.name] ?? 0 }),
        )
      }
      return { organizationId, at, counts }
    })
    await recordOperatorAction(database.statements, {
      ...{ organizationId, at: clock.now(), action: 'organization.exported', resourceId: organizationId },
    })
    return exported
  } finally {
    await app.limits.stop()
  }
}

async function findOrganizationRow(db: Db, id: string) {
  const row = await db
    .selectFrom('organizations')
    .select([
      ...(['id', 'name', 'phone', 'tier', 'currency', 'timeZone', 'weekStartsOn', 'overtimeRule', 'poTerms'] as const),
      ...([
        'lienWaiverRequired',
        'withholdsBackupTax',
        'billSecondPerson',
        'usesDataDate',
        'createdAt',
        'updatedAt',
      ] as const),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  return row
}

async function countRows(db: Db, organizationId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = { organization: 1 }
  for (const { kind, table, where } of EXPORT_KINDS) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as "count" from ${sql.table(table)}
      where "organizationId" = ${organizationId} and ${sql.raw(where ?? 'true')}`.execute(db)
    counts[kind] = (counts[kind] ?? 0) + (rows[0]?.count ?? 0)
  }
  return counts
}

async function writeKind(
  call: WriteCall,
  kind: ExportKind,
  write: (lines: string) => Promise<void>,
  progress: (written: number) => void,
): Promise<void> {
  let written = 0
  for (let page = await readPage(call, kind, null); page.length > 0; page = await readPage(call, kind, page.at(-1))) {
    const records = await kind.records(call, page)
    await write(records.map((record) => toExportLine(call.services.contract, kind.kind, record)).join(''))
    written += records.length
    progress(written)
  }
}

async function readPage(
  { db, organizationId }: WriteCall,
  { table, order, where, columns }: ExportKind,
  last: StoredRow | null | undefined,
): Promise<StoredRow[]> {
  const beyond = last
    ? sql`(${toColumnListSql(order)}) > (${sql.join(order.map((column) => last[column]))})`
    : sql`true`
  const { rows } = await sql<StoredRow>`
    select ${toColumnListSql(columns ?? order)} from ${sql.table(table)}
    where "organizationId" = ${organizationId} and ${sql.raw(where ?? 'true')} and ${beyond}
    order by ${toColumnListSql(order)} limit ${PAGE_ROWS}`.execute(db)
  return rows
}
