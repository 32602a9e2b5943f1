import { type RawBuilder, sql } from 'kysely'
import { getTaxIdEncryptionContext } from '../../domain/vendors/vendors/tax-id-encryption-context.ts'
import type { Contract } from '../../platform/calls/contract.ts'
import { getSecretNames, omitNamedFields } from '../../platform/calls/secret-names.ts'
import type { Db } from '../../platform/database/database.ts'
import { findNewestMigration } from '../../platform/database/migrate.ts'
import { listOwnedTables, sortChildrenFirst } from '../../platform/database/owned-tables.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { type TextRow, toTextColumnsSql } from '../move/copy-table.ts'
import { listMovedTables, type MovedColumn } from '../move/moved-tables.ts'
import type { Table } from './export-kinds.ts'

/**
 * Tables that are left out of the stored rows in an export, from which another deployment restores the builder. Each
 * entry contains the reason. A test checks that every table of an organization is either exported or in this list.
 */
export const OMITTED_ROWS: Partial<Record<Table, string>> = {
  apiKeySecrets: 'Hashes of secrets. New keys must be created.',
  oauthTokens: 'Hashes of tokens. Apps must be connected again.',
  calendarAddresses: 'Hashes of links. New calendar links must be created.',
  portalAddresses: 'Hashes and encrypted tokens of links. Portal links must be sent again.',
  mailReplyAddresses: 'Hashes of addresses. Emails that are sent by the other deployment have new addresses.',
  ownerLinks: 'Hashes of links. Home owners must be invited again.',
  idempotencyRecords: 'Encrypted responses, which are kept for at most 7 days.',
  portalForms: 'Rejected portal forms, which are kept for one day.',
  archives: 'The archived files are not part of an export. Copy the files with "archives fetch".',
  fileArrivals: 'File contents. The export contains each file separately, not as a row.',
  looseFiles: 'Files that will be removed from the file store.',
  sandboxes: 'Progress of filling or emptying a sandbox, which must not continue elsewhere.',
  links: 'Database triggers derive the rows from the records.',
  searchQueue: 'Database triggers fill the table.',
  searchWords: 'The search derives the rows from the records.',
  searchVariants: 'The search derives the rows from the records.',
}

/**
 * Conditions that leave out rows that the exporting deployment is still processing. Otherwise, the other deployment
 * would send them again.
 */
const ROW_CONDITIONS: Partial<Record<Table, string>> = {
  deliveries: `"status" <> 'pending'`,
  deliveryAttempts: `exists (select from "deliveries" as d where d."organizationId" = "t"."organizationId"
    and d."id" = "t"."deliveryId" and d."status" <> 'pending')`,
  mails: `"status" <> 'queued'`,
}

/** Columns with secrets that are useless in another deployment. */
const OMITTED_COLUMNS: Partial<Record<Table, readonly string[]>> = {
  mails: ['sealedLink', 'replyToken', 'attachment'],
  webhooks: ['secret', 'previousSecret', 'previousSecretExpiresAt'],
}

/** Text columns that contain JSON. */
const JSON_TEXT_COLUMNS: Partial<Record<Table, readonly string[]>> = { events: ['payload'] }

/** A table whose rows are exported. */
export interface ExportedTable {
  name: Table | 'organizations'
  /** The column that contains the ID of the organization. */
  owner: string
  /**
   * The columns to write. Identity columns are left out, because the other database numbers the rows again in the same
   * order.
   */
  columns: MovedColumn[]
  /** Conditions that together cover all rows. Each has the columns of its index, which define the order. */
  parts: { where: string; order: MovedColumn[] }[]
  /** Whether rows refer to other rows of the same table. */
  isSelfReferencing: boolean
}

/** Returns the tables whose rows are exported. A table comes after the tables to which it refers. */
export async function listExportedTables(db: Db): Promise<ExportedTable[]> {
  const all = new Map((await listMovedTables(db)).map((table) => [table.name, table]))
  const owned = sortChildrenFirst(await listOwnedTables(db)).filter(
    ({ name }) => OMITTED_ROWS[name as Table] === undefined,
  )
  const toExportedTable = (name: ExportedTable['name'], owner: string, isSelfReferencing: boolean): ExportedTable => {
    const table = all.get(name)
    if (table === undefined) throw new Error(`Expected a table ${name}.`)
    const leftOut = OMITTED_COLUMNS[name as Table] ?? []
    const order = (column: string) => table.columns.filter((one) => one.name === column)
    const condition = ROW_CONDITIONS[name as Table] ?? 'true'
    return {
      ...{ name, owner, isSelfReferencing },
      columns: table.columns.filter((column) => !column.isIdentity && !leftOut.includes(column.name)),
      parts:
        name === 'events'
          ? [
              { where: '"sequence" is not null', order: order('sequence') },
              { where: '"sequence" is null', order: order('recordedOrder') },
            ]
          : [{ where: condition, order: table.key }],
    }
  }
  return [
    toExportedTable('organizations', 'id', false),
    ...owned.reverse().map(({ name, references }) =>
      toExportedTable(
        name as Table,
        'organizationId',
        references.some(({ to }) => to === name),
      ),
    ),
  ]
}

/** The information that an import needs before it reads the rows. */
export interface RowsHeader {
  /** The newest migration of the database schema. Rows can be imported only into a database with the same schema. */
  migration: string | null
  /** The number of rows by table. */
  rows: Record<string, number>
  /** The number of vendors and invitations that have a portal link. These links are valid only in this deployment. */
  portalLinks: number
}

export async function buildRowsHeader(
  db: Db,
  organizationId: string,
  tables: readonly ExportedTable[],
): Promise<RowsHeader> {
  const counted: Record<string, number> = {}
  for (const table of tables) {
    counted[table.name] = 0
    for (const { where } of table.parts)
      counted[table.name] =
        (counted[table.name] ?? 0) + (await countTableRows(db, table.name, selectOwnRows(table, organizationId, where)))
  }
  const isLive = sql`"organizationId" = ${organizationId} and "revokedAt" is null`
  return {
    migration: await findNewestMigration(db),
    rows: counted,
    portalLinks: await countTableRows(db, 'portalAddresses', isLive),
  }
}

async function countTableRows(db: Db, table: string, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: string | number }>`
    select count(*) as "count" from ${sql.table(table)} as "t" where ${where}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

function selectOwnRows({ owner }: ExportedTable, organizationId: string, where: string): RawBuilder<unknown> {
  return sql`"t".${sql.ref(owner)} = ${organizationId} and (${sql.raw(where)})`
}

interface RowSource {
  db: Db
  organizationId: string
  contract: Contract
  encryptionKey: Buffer
}

/** The maximum number of rows in memory. */
const PAGE_ROWS = 200

/** Writes the rows of a table as lines. A line contains the values of a row as text, without null values. */
export async function writeRows(
  source: RowSource,
  table: ExportedTable,
  write: (lines: string) => Promise<void>,
  progress: (written: number) => void,
): Promise<void> {
  const names = getSecretNames(source.contract)
  const ofJson = new Set([
    ...table.columns.filter(({ type }) => type === 'json' || type === 'jsonb').map(({ name }) => name),
    ...(JSON_TEXT_COLUMNS[table.name as Table] ?? []),
  ])
  const toLine = (row: TextRow) => {
    const shown = table.columns.flatMap(({ name }) => {
      const value = row[name] ?? null
      return value === null ? [] : [[name, ofJson.has(name) ? omitSecrets(names, value) : value] as const]
    })
    const data = { table: table.name, row: openSealed(source, table, Object.fromEntries(shown)) }
    return `${JSON.stringify({ kind: 'row', data })}\n`
  }
  let written = 0
  for (const part of table.parts) {
    for (let last: TextRow | undefined; ; ) {
      const page = await readPage(source, table, part, last)
      if (page.length === 0) break
      await write(page.map(toLine).join(''))
      written += page.length
      progress(written)
      last = page.at(-1)
    }
  }
}

async function readPage(
  { db, organizationId }: RowSource,
  table: ExportedTable,
  { where, order }: ExportedTable['parts'][number],
  last: TextRow | undefined,
): Promise<TextRow[]> {
  const columns = [...table.columns, ...order.filter(({ name }) => table.columns.every((one) => one.name !== name))]
  const keys = sql.join(order.map(({ name }) => sql`"t".${sql.ref(name)}`))
  const after = last && sql.join(order.map(({ name, type }) => sql`${last[name] ?? null}::text::${sql.raw(type)}`))
  const { rows } = await sql<TextRow>`
    select ${toTextColumnsSql(columns)} from ${sql.table(table.name)} as "t"
    where ${selectOwnRows(table, organizationId, where)} ${after === undefined ? sql`` : sql`and (${keys}) > (${after})`}
    order by ${keys} limit ${PAGE_ROWS}`.execute(db)
  return rows
}

// Removes secrets from a stored JSON text, because old events and inputs may contain them. Returns the text unchanged
// if it contains none.
function omitSecrets(names: ReadonlySet<string>, text: string): string {
  if ([...names].every((name) => !text.includes(`"${name}"`))) return text
  return JSON.stringify(omitNamedFields(names, JSON.parse(text)))
}

// Decrypts the tax ID, because the other deployment has a different encryption key.
function openSealed(
  { organizationId, encryptionKey }: RowSource,
  { name }: ExportedTable,
  row: Record<string, string>,
) {
  const { id, sealedTaxId } = row
  if (name !== 'vendors' || id === undefined || sealedTaxId === undefined) return row
  return {
    ...row,
    sealedTaxId: createVault(encryptionKey).open(sealedTaxId, getTaxIdEncryptionContext(organizationId, id)),
  }
}
