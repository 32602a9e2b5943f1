import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { toStorageKey } from '../../domain/attachments/queries.ts'
import { getTaxIdEncryptionContext } from '../../domain/vendors/vendors/tax-id-encryption-context.ts'
import { recordOperatorAction } from '../../platform/audit/record-audit-entries.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database, Db } from '../../platform/database/database.ts'
import { findNewestMigration } from '../../platform/database/migrate.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { openFiles } from '../../platform/files/files.ts'
import { problem } from '../../platform/problems/problem.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createWebhookSecret, getSecretEncryptionContext } from '../../platform/webhooks/webhook-secret.ts'
import { type TextRow, writeBatch } from '../move/copy-table.ts'
import { ImportError } from './import-error.ts'
import { type ImportHeader, isIdWithPrefix, readHeader, readRows } from './import-file.ts'
import { type ExportedTable, listExportedTables } from './stored-rows.ts'

const MAX_ROWS = 1000
/** The maximum number of characters in a batch. A single row may be longer. */
const BATCH_CHARACTERS = 8_000_000

interface Deployment {
  database: Database
  clock: Clock
  config: Config
}

interface MissingFile {
  id: string
  fileName: string
  recordId: string
  /** Whether the folder contains a file with this name but with different content. */
  isDamaged: boolean
}

export interface ImportResult {
  organizationId: string
  /** The number of rows by table. */
  rows: Record<string, number>
  files: { copied: number; missing: MissingFile[] }
  createAgain: CreateAgain
}

/** Data that is valid only in the exporting deployment and must be created again. */
interface CreateAgain {
  /** The names of the active API keys. */
  keys: string[]
  /**
   * The URLs of the webhook subscriptions, which are disabled after the import. Rotate their secrets and then activate
   * them.
   */
  webhooks: string[]
  /** The IDs of calendar feeds, which need new links. */
  calendarFeeds: string[]
  /** The names of connected apps. */
  connectedApps: string[]
  /** The number of portal links that vendors had. */
  portalLinks: number
}

/**
 * Adds a builder from an export with rows. First stores the files and then adds all rows in one transaction, so that an
 * interrupted import can be repeated. IDs stay the same.
 *
 * @throws {ImportError} if the file is not suitable for this deployment; in this case, nothing is changed
 */
export async function importOrganization(
  deployment: Deployment,
  file: string,
  folder: string | null,
  progress: (step: string, done: number) => void = () => {},
): Promise<ImportResult> {
  const { database, config } = deployment
  const header = await readHeader(file)
  const db = database.statements
  await assertSameMigration(db, header)
  await assertNewOrganization(db, header.organizationId)
  const tables = new Map((await listExportedTables(db)).map((table) => [table.name as string, table]))
  await assertFileComplete(file, header, tables)
  try {
    const files = await importFiles(config, header.organizationId, file, folder, (done) => progress('files', done))
    // After a deadlock, the transaction runs again, so this function may be called more than once.
    const createAgain = await database.transaction((trx) => importRows(deployment, trx, header, file, tables, progress))
    return { organizationId: header.organizationId, rows: header.rows, files, createAgain }
  } catch (error) {
    if (await isNewOrganization(db, header.organizationId))
      await openFiles(config).store.removeAll(header.organizationId)
    throw error
  }
}

async function assertSameMigration(db: Db, { migration }: ImportHeader): Promise<void> {
  const own = await findNewestMigration(db)
  if (own === migration) return
  throw new ImportError(
    `The schema of the export (${migration}) differs from the schema of this deployment (${own}). Use the same Plumbline version for both, and export again.`,
  )
}

async function isNewOrganization(db: Db, organizationId: string): Promise<boolean> {
  const found = await db.selectFrom('organizations').select('id').where('id', '=', organizationId).executeTakeFirst()
  return found === undefined
}

async function assertNewOrganization(db: Db, organizationId: string): Promise<void> {
  if (await isNewOrganization(db, organizationId)) return
  throw new ImportError(
    `This deployment already has the builder ${organizationId}. To import the builder again, erase it first.`,
  )
}

async function assertFileComplete(
  file: string,
  { organizationId, rows: expected }: ImportHeader,
  tables: ReadonlyMap<string, ExportedTable>,
): Promise<void> {
  const found: Record<string, number> = {}
  for await (const { table, row } of readRows(file)) {
    const known = tables.get(table)
    if (known === undefined) throw new ImportError(`${file} has rows of an unknown table "${table}".`)
    if (row[known.owner] !== organizationId)
      throw new ImportError(`${file} has a row of ${table} that belongs to another builder.`)
    found[table] = (found[table] ?? 0) + 1
  }
  for (const table of tables.keys()) {
    const [has, needs] = [found[table] ?? 0, expected[table] ?? 0]
    if (has !== needs)
      throw new ImportError(`${file} is not complete: it has ${has} of ${needs} rows of ${table}. Copy the file again.`)
  }
}

async function importFiles(
  config: Config,
  organizationId: string,
  file: string,
  folder: string | null,
  progress: (copied: number) => void,
): Promise<ImportResult['files']> {
  const { store, receive } = openFiles(config)
  const missing: MissingFile[] = []
  let copied = 0
  for await (const { table, row } of readRows(file)) {
    const { id, fileName, recordId, sha256, archivedAt } = row
    // Deleted attachments have no file.
    if (table !== 'attachments' || archivedAt) continue
    if (!isIdWithPrefix('att', id)) throw new ImportError(`${file} has an attachment without a valid ID.`)
    const source = folder === null ? null : path.join(folder, id)
    const about = { id, fileName: fileName ?? '', recordId: recordId ?? '' }
    if (source === null || !(await doesFileExist(source))) {
      missing.push({ ...about, isDamaged: false })
      continue
    }
    const arrived = await receive(createReadStream(source))
    if (arrived.sha256 === sha256) {
      await store.put(toStorageKey(organizationId, id), arrived.path)
      progress(++copied)
    } else {
      missing.push({ ...about, isDamaged: true })
      await arrived.discard()
    }
  }
  return { copied, missing }
}

async function doesFileExist(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

async function importRows(
  { clock, config }: Deployment,
  trx: Db,
  header: ImportHeader,
  file: string,
  tables: ReadonlyMap<string, ExportedTable>,
  progress: (step: string, done: number) => void,
): Promise<CreateAgain> {
  const { organizationId, portalLinks } = header
  const now = clock.now()
  // Gets the same lock as the creation of an organization, so that two concurrent transactions cannot exceed the limit.
  await sql`select pg_advisory_xact_lock(74185003)`.execute(trx)
  await assertNewOrganization(trx, organizationId)
  await assertRoomForBuilder(trx, config.betaMaxOrganizations)
  const createAgain: CreateAgain = { keys: [], webhooks: [], calendarFeeds: [], connectedApps: [], portalLinks }
  const adapt = createRowAdapter(config, organizationId, now, createAgain)
  for await (const { table, batches } of groupByTable(readRows(file))) {
    const known = tables.get(table)
    if (known === undefined) throw new ImportError(`${file} has rows of an unknown table "${table}".`)
    const target = known.name === 'webhooks' ? { ...known, columns: [...known.columns, SECRET_COLUMN] } : known
    await explainConflicts(table, async () => {
      const writer = await openTable(trx, target, organizationId)
      let done = 0
      for await (const batch of batches) {
        await writer.write(batch.map((row) => adapt(table, row)))
        done += batch.length
        progress(`rows of ${table}`, done)
      }
      await writer.complete()
    })
  }
  await recordOperatorAction(trx, {
    ...{ organizationId, at: now, action: 'organization.imported', resourceId: organizationId },
  })
  return createAgain
}

const SECRET_COLUMN = { name: 'secret', type: 'text', isCollated: true, isIdentity: false }

async function assertRoomForBuilder(trx: Db, max: number): Promise<void> {
  const { count } = await trx
    .selectFrom('organizations')
    .select((query) => query.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (count >= max)
    throw problem(
      'beta_full',
      `This deployment allows at most ${max} builders. Raise BETA_MAX_ORGANIZATIONS, or erase a builder.`,
    )
}

interface TableWriter {
  write(rows: TextRow[]): Promise<void>
  complete(): Promise<void>
}

const STAGING_TABLE = 'importedRows'

/**
 * Returns a writer for the rows of a table. If rows refer to other rows of the same table, collects all rows and
 * inserts them with a single statement, because foreign keys are checked at the end of a statement. Their order then
 * does not matter.
 */
async function openTable(
  trx: Db,
  { name, columns, isSelfReferencing }: ExportedTable,
  organizationId: string,
): Promise<TableWriter> {
  // A trigger has already created these rows for the messages, but without read times.
  if (name === 'messageRecipients')
    await sql`delete from "messageRecipients" where "organizationId" = ${organizationId}`.execute(trx)
  if (!isSelfReferencing) return { write: (rows) => writeBatch(trx, { name, columns }, rows), complete: async () => {} }
  const names = sql.join(columns.map((column) => sql.ref(column.name)))
  await sql`create temporary table ${sql.table(STAGING_TABLE)} as select ${names} from ${sql.table(name)} with no data`.execute(
    trx,
  )
  return {
    write: (rows) => writeBatch(trx, { name: STAGING_TABLE, columns }, rows),
    async complete() {
      await sql`insert into ${sql.table(name)} (${names}) select ${names} from ${sql.table(STAGING_TABLE)}`.execute(trx)
      await sql`drop table ${sql.table(STAGING_TABLE)}`.execute(trx)
    },
  }
}

interface TableRows {
  table: string
  batches: AsyncIterable<TextRow[]>
}

/**
 * Groups consecutive rows of the same table into batches. The caller must read each table to its end before it requests
 * the next one.
 */
async function* groupByTable(rows: AsyncGenerator<{ table: string; row: TextRow }>): AsyncGenerator<TableRows> {
  let next = await rows.next()
  async function* batchesOf(table: string): AsyncGenerator<TextRow[]> {
    let batch: TextRow[] = []
    let characters = 0
    while (next.done !== true && next.value.table === table) {
      batch.push(next.value.row)
      characters += Object.values(next.value.row).reduce((sum, text) => sum + (text?.length ?? 0), 0)
      next = await rows.next()
      if (batch.length < MAX_ROWS && characters < BATCH_CHARACTERS) continue
      yield batch
      batch = []
      characters = 0
    }
    if (batch.length > 0) yield batch
  }
  while (next.done !== true) {
    const { table } = next.value
    yield { table, batches: batchesOf(table) }
  }
}

/**
 * Returns whether the database has rejected a row because of a violation of integrity or a value that a column does not
 * accept. If Citus copies rows to a node, it reports a violation there as an internal error.
 */
function isRejectedRow({ code, message }: { code?: unknown; message: string }): boolean {
  return /^2[23]/.test(String(code)) || (code === 'XX000' && message.includes(' violates '))
}

async function explainConflicts(table: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const rejection = error as { code?: unknown; message: string; detail?: string }
    if (!isRejectedRow(rejection)) throw error
    throw new ImportError(`Cannot import a row of ${table}: ${rejection.message}. ${rejection.detail ?? ''}`.trim())
  }
}

/**
 * Returns a function that adapts rows to another deployment. Every record that grants access or sends data gets a new
 * secret.
 */
function createRowAdapter(config: Config, organizationId: string, now: Date, createAgain: CreateAgain) {
  const { seal } = createVault(config.encryptionKey)
  const at = now.toISOString()
  const changed = (row: TextRow) => ({ ...row, updatedAt: at, version: String(Number(row.version) + 1) })
  const isEnded = ({ revokedAt, expiresAt }: TextRow) =>
    Boolean(revokedAt) || (Boolean(expiresAt) && Date.parse(String(expiresAt)) <= now.getTime())
  return (table: string, row: TextRow): TextRow => {
    const { id, name, clientName, url, archivedAt, sealedTaxId } = row
    if (!id) return row
    switch (table) {
      case 'apiKeys':
        if (isEnded(row)) return row
        createAgain.keys.push(String(name))
        return { ...changed(row), revokedAt: at }
      case 'oauthGrants':
        if (isEnded(row)) return row
        createAgain.connectedApps.push(String(clientName))
        return { ...changed(row), revokedAt: at }
      case 'calendarFeeds':
        if (!archivedAt) createAgain.calendarFeeds.push(id)
        return row
      case 'webhooks':
        if (archivedAt) return row
        createAgain.webhooks.push(String(url))
        return {
          ...changed(row),
          secret: seal(createWebhookSecret(), getSecretEncryptionContext(organizationId, id)),
          ...(row.status === 'active' && { status: 'disabled', disabledReason: 'requested', disabledAt: at }),
          pausedUntil: null,
        }
      case 'vendors':
        return sealedTaxId
          ? { ...row, sealedTaxId: seal(sealedTaxId, getTaxIdEncryptionContext(organizationId, id)) }
          : row
      default:
        return row
    }
  }
}
