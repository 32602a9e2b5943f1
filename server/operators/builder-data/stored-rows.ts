import { type RawBuilder, sql } from 'kysely'
import { taxIdSealContext } from '../../domain/vendors/vendors/tax-id-seal-context.ts'
import type { Contract } from '../../platform/calls/contract.ts'
import { omitNamedFields, secretNamesOf } from '../../platform/calls/secret-names.ts'
import type { Db } from '../../platform/database/database.ts'
import { findNewestMigration } from '../../platform/database/migrate.ts'
import { listOwnedTables, orderChildrenFirst } from '../../platform/database/owned-tables.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { selectTexts, type TextRow } from '../move/copy-table.ts'
import { listMovedTables, type MovedColumn } from '../move/moved-tables.ts'
import type { Table } from './export-kinds.ts'

/**
 * Tables left out of the stored rows in an export, from which another deployment restores the builder. Every table of
 * an organization is exported or named here with a reason; a test checks this.
 */
export const OMITTED_ROWS: Partial<Record<Table, string>> = {
  apiKeySecrets: 'Hashes of secrets. New keys must be created.',
  oauthTokens: 'Hashes of tokens. Apps must be connected again.',
  calendarAddresses: 'Hashes of links. New calendar links must be created.',
  portalAddresses: 'Hashes and encrypted tokens of links. Portal links must be sent again.',
  idempotencyRecords: 'Encrypted responses that are kept for 24 hours.',
  archives: 'Their files are not part of an export. "archives fetch" copies them.',
  fileArrivals: 'Contents of files, which are exported as files.',
  looseFiles: 'Files that will be removed from the file store.',
  sandboxes: 'Progress of filling or emptying a sandbox, which must not continue elsewhere.',
  links: 'Triggers derive them from the records.',
  searchQueue: 'Triggers fill it.',
  searchWords: 'The search derives them from the records.',
  searchVariants: 'The search derives them from the records.',
}

/** Excludes rows that the exporting deployment still works on, and that the other one must not send a second time. */
const ROW_CONDITIONS: Partial<Record<Table, string>> = {
  deliveries: `"status" <> 'pending'`,
  deliveryAttempts: `exists (select from "deliveries" as d where d."organizationId" = "t"."organizationId"
    and d."id" = "t"."deliveryId" and d."status" <> 'pending')`,
  mails: `"status" <> 'queued'`,
}

/** Columns with secrets that another deployment cannot use. */
const OMITTED_COLUMNS: Partial<Record<Table, readonly string[]>> = {
  mails: ['sealedLink'],
  webhooks: ['secret', 'previousSecret', 'previousSecretExpiresAt'],
}

/** Text columns that contain JSON. */
const JSON_TEXT_COLUMNS: Partial<Record<Table, readonly string[]>> = { events: ['payload'] }

/** A table whose rows are exported. */
export interface RowTable {
  name: Table | 'organizations'
  /** The column with the ID of the organization. */
  owner: string
  /** The columns to write. Identity columns are not among them: the other database numbers the rows again, in order. */
  columns: MovedColumn[]
  /** Conditions that together cover the rows, each with the columns of an index for its order. */
  parts: { where: string; order: MovedColumn[] }[]
  /** Whether rows refer to other rows of the same table. */
  isSelfReferencing: boolean
}

/** Returns the tables whose rows are exported, each after the tables that it refers to. */
export async function listRowTables(db: Db): Promise<RowTable[]> {
  const all = new Map((await listMovedTables(db)).map((table) => [table.name, table]))
  const owned = orderChildrenFirst(await listOwnedTables(db)).filter(
    ({ name }) => OMITTED_ROWS[name as Table] === undefined,
  )
  const toRowTable = (name: RowTable['name'], owner: string, isSelfReferencing: boolean): RowTable => {
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
    toRowTable('organizations', 'id', false),
    ...owned.reverse().map(({ name, references }) =>
      toRowTable(
        name as Table,
        'organizationId',
        references.some(({ to }) => to === name),
      ),
    ),
  ]
}

/** Information that an import needs before it reads rows. */
export interface RowsHeader {
  /** The newest migration of the database. Rows fit only a database with the same schema. */
  migration: string | null
  /** Number of rows by table. */
  rows: Record<string, number>
  /** Number of vendors and invitations with a portal link, which works only in this deployment. */
  portalLinks: number
}

export async function describeRows(db: Db, organizationId: string, tables: readonly RowTable[]): Promise<RowsHeader> {
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

function selectOwnRows({ owner }: RowTable, organizationId: string, where: string): RawBuilder<unknown> {
  return sql`"t".${sql.ref(owner)} = ${organizationId} and (${sql.raw(where)})`
}

interface RowSource {
  db: Db
  organizationId: string
  contract: Contract
  encryptionKey: Buffer
}

/** Rows in memory at a time. */
const PAGE_ROWS = 200

/** Writes a table as lines, each with a row's values as text. Null values are left out. */
export async function writeRows(
  source: RowSource,
  table: RowTable,
  write: (lines: string) => Promise<void>,
  progress: (written: number) => void,
): Promise<void> {
  const names = secretNamesOf(source.contract)
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
  table: RowTable,
  { where, order }: RowTable['parts'][number],
  last: TextRow | undefined,
): Promise<TextRow[]> {
  const columns = [...table.columns, ...order.filter(({ name }) => table.columns.every((one) => one.name !== name))]
  const keys = sql.join(order.map(({ name }) => sql`"t".${sql.ref(name)}`))
  const after = last && sql.join(order.map(({ name, type }) => sql`${last[name] ?? null}::text::${sql.raw(type)}`))
  const { rows } = await sql<TextRow>`
    select ${selectTexts(columns)} from ${sql.table(table.name)} as "t"
    where ${selectOwnRows(table, organizationId, where)} ${after === undefined ? sql`` : sql`and (${keys}) > (${after})`}
    order by ${keys} limit ${PAGE_ROWS}`.execute(db)
  return rows
}

// Old events and inputs may contain a secret. The text stays as stored unless there is one.
function omitSecrets(names: ReadonlySet<string>, text: string): string {
  if ([...names].every((name) => !text.includes(`"${name}"`))) return text
  return JSON.stringify(omitNamedFields(names, JSON.parse(text)))
}

// Decrypted, because the other deployment has another encryption key.
function openSealed({ organizationId, encryptionKey }: RowSource, { name }: RowTable, row: Record<string, string>) {
  const { id, sealedTaxId } = row
  if (name !== 'vendors' || id === undefined || sealedTaxId === undefined) return row
  return { ...row, sealedTaxId: createVault(encryptionKey).open(sealedTaxId, taxIdSealContext(organizationId, id)) }
}
