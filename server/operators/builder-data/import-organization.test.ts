import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/support/databases.ts'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../../../test/support/populated-plumbline.ts'
import { startTestPlumbline } from '../../../test/support/test-plumbline.ts'
import { getTaxIdEncryptionContext } from '../../domain/vendors/vendors/tax-id-encryption-context.ts'
import { type Config, readConfig } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { listOwnedTables } from '../../platform/database/owned-tables.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { createKey } from '../../platform/keys/keys.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { SEALED_COLUMNS } from '../encryption-key/sealed-columns.ts'
import { exportFiles } from './export-files.ts'
import { exportOrganization } from './export-organization.ts'
import { type ImportResult, importOrganization } from './import-organization.ts'
import { listExportedTables, OMITTED_ROWS } from './stored-rows.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever was written.
type Line = { kind: string; data: any }

const TAX_ID = '12-3456789'
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-import-'))
const file = path.join(folder, 'builder.ndjson')
const files = path.join(folder, 'files')
const encryptionKey = randomBytes(32)

interface Deployment {
  database: Database
  config: Config
  clock: Clock
}

let source: PopulatedPlumbline
let organizationId: string
let vendorId: string
/** A deployment on which no service runs until a test starts one, so that only the import writes to it. */
let target: Deployment
let imported: ImportResult
/** The exports of both deployments. */
let before: Line[]
let after: Line[]

beforeAll(async () => {
  source = await startPopulatedPlumbline('enough')
  const { plumbline } = source
  organizationId = plumbline.organizationId
  const stranger = await plumbline.newBuilder()
  await plumbline.post('/api/ext/vendors', { companyName: 'Somebody else entirely' }, { key: stranger.key })
  const vendor = { companyName: 'Zilker Waterproofing', taxId: TAX_ID, email: 'office@zilker.example.com' }
  vendorId = (await plumbline.post('/api/ext/vendors', vendor)).body.id
  await addRows()
  before = await exportTo(file, plumbline)
  await exportFiles(plumbline, organizationId, files)
  target = await newDeployment('data')
  imported = await importOrganization(target, file, files)
  after = await exportTo(path.join(folder, 'again.ndjson'), target)
}, 180_000)
afterAll(async () => {
  await source?.stop()
  await target?.database.close()
  rmSync(folder, { recursive: true, force: true })
})

async function newDeployment(name: string): Promise<Deployment> {
  const config = { ...readConfig({ DATA_DIR: path.join(folder, name) }), encryptionKey }
  return { database: await createTestDatabase(), config, clock: new Clock() }
}

/** Columns that refer to other rows of the same table. */
const SELF_REFERENCES = [
  ['costCodes', 'parentId'],
  ['messages', 'inReplyToId'],
  ['vendors', 'mergedIntoId'],
] as const

/**
 * Adds rows that the contract's examples do not create: references to later rows, a sent email, and an unsent email.
 */
async function addRows(): Promise<void> {
  const { database } = source.plumbline
  for (const [table, column] of SELF_REFERENCES) {
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = (
        select max("id") from ${sql.table(table)} where "organizationId" = ${organizationId})
      where ("organizationId", "id") = (
        select "organizationId", min("id") from ${sql.table(table)} where "organizationId" = ${organizationId} group by 1)`.execute(
      database.statements,
    )
  }
  for (const [id, status, subject] of [
    ['mail_01m7y975jyfesvq695t8y8ma68', 'sent', 'Sent before the export'],
    ['mail_01m7y975jyfesvq695t8y8ma69', 'queued', 'Waits for the mail server'],
  ])
    await sql`
      insert into "mails" ("organizationId", "id", "kind", "to", "subject", "text", "vendorId", "aboutId", "sealedLink", "status",
        "attempts", "nextAttemptAt", "version", "createdBy", "createdAt", "updatedAt")
      values (${organizationId}, ${id}, 'vendor_invited', 'office@zilker.example.com', ${subject}, 'Good morning', ${vendorId},
        ${vendorId}, 'sealed-link', ${status}, 0, case when ${status} = 'queued' then timestamptz '2100-01-01' end, 1,
        '{"type": "system", "id": null}', now(), now())`.execute(database.statements)
}

async function exportTo(to: string, from: { database: Database; config: Config }): Promise<Line[]> {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  await exportOrganization(from, organizationId, write, () => {}, { forImport: true })
  writeFileSync(to, text)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Returns the subject of a line: the kind of its record, or the table of its row. */
const subjectOf = ({ kind, data }: Line) => (kind === 'row' ? `row of ${data.table}` : kind)
const rowsOf = (lines: Line[], table: string) =>
  lines.filter(({ kind, data }) => kind === 'row' && data.table === table).map(({ data }) => data.row)

function differences(lines: Line[], others: Line[]): Line[] {
  const texts = new Set(others.map(toComparedText))
  return lines.filter((line) => !texts.has(toComparedText(line)))
}

/**
 * Returns a line as text for the comparison. Leaves out the numbers of postings, because each deployment assigns its
 * own.
 */
function toComparedText({ kind, data }: Line): string {
  return JSON.stringify({ kind, data: kind === 'posting' ? { ...data, sequence: null } : data })
}

/** The kinds and tables that an import changes on purpose. */
const CHANGED = ['export', 'key', 'mail', 'row of apiKeys', 'row of webhooks', 'webhook']

test('the records of an imported builder match its export, except records that cannot be moved', () => {
  expect(before.length).toBeGreaterThan(500)
  const subjects = (lines: Line[]) => [...new Set(lines.map(subjectOf))].sort()
  expect(subjects(differences(before, after))).toEqual(CHANGED)
  expect(before.filter(({ kind }) => kind === 'posting').length).toBeGreaterThan(0)
  const added = differences(after, before).filter((line) => !CHANGED.includes(subjectOf(line)))
  expect(added.map(subjectOf).sort()).toEqual(['audit_entry', 'row of auditEntries'])
  expect(added[0]?.data).toMatchObject({ action: 'organization.imported', actorType: 'operator' })
  expect(imported.rows).toEqual(before[0]?.data.import.rows)
  for (const table of ['users', 'events', 'messages', 'attachments', 'statusChanges', 'mails', 'deliveries'])
    expect([table, Number(imported.rows[table]) > 0]).toEqual([table, true])
  expect(rowsOf(after, 'mails').map(({ subject }) => subject)).toEqual(['Sent before the export'])
  for (const [table, column] of SELF_REFERENCES)
    expect([column, rowsOf(after, table).some((row) => row[column] !== undefined)]).toEqual([column, true])
})

test('the import result lists the keys, webhooks, and links that no longer work', () => {
  const keys = rowsOf(after, 'apiKeys')
  expect(keys.filter(({ revokedAt }) => revokedAt === undefined)).toEqual([])
  const webhooks = rowsOf(after, 'webhooks').filter(({ archivedAt }) => archivedAt === undefined)
  expect(webhooks.length).toBeGreaterThan(0)
  expect(webhooks.filter(({ status }) => status !== 'disabled')).toEqual([])
  expect(imported.createAgain.keys).toEqual(['Test'])
  expect(imported.createAgain.webhooks.sort()).toEqual(webhooks.map(({ url }) => url).sort())
  expect(imported.createAgain.calendarFeeds.length).toBeGreaterThan(0)
  expect(imported.createAgain.portalLinks).toBeGreaterThan(0)
})

test('an export for import contains no secrets except tax IDs', async () => {
  const text = readFileSync(file, 'utf8')
  const { database, key } = source.plumbline
  for (const secret of [key, 'whsec_', '/portal/ven_', '/portal/inv_', 'Somebody else entirely', 'sealed-link'])
    expect([secret, text.includes(secret)]).toEqual([secret, false])
  const { rows } = await sql<{ secret: string }>`
    select encode("hash", 'hex') as "secret" from "apiKeySecrets" union all select encode("hash", 'hex') from "portalAddresses"
    union all select "secret" from "webhooks" where "secret" is not null
    union all select "sealedTaxId" from "vendors" where "sealedTaxId" is not null`.execute(database.statements)
  expect(rows.length).toBeGreaterThan(3)
  expect(rows.filter(({ secret }) => text.includes(secret))).toEqual([])
  expect(rowsOf(before, 'vendors').find(({ id }) => id === vendorId).sealedTaxId).toBe(TAX_ID)
})

test('every table of a builder is either exported as rows or listed as omitted', async () => {
  const tables = await listExportedTables(target.database.statements)
  const names = new Set([...tables.map(({ name }) => name as string), ...Object.keys(OMITTED_ROWS)])
  const owned = (await listOwnedTables(target.database.statements)).map(({ name }) => name)
  expect([...names].sort()).toEqual([...owned, 'organizations'].sort())
  const sealed = SEALED_COLUMNS.filter(({ table, column }) =>
    tables.some(({ name, columns }) => name === table && columns.some((one) => one.name === column)),
  )
  expect(sealed.map(({ table, column }) => [table, column])).toEqual([['vendors', 'sealedTaxId']])
})

test('an imported builder has the same links between records as its source', async () => {
  const read = async ({ statements }: Database) =>
    (
      await sql`
        select "linkedId", "recordId" from "links" where "organizationId" = ${organizationId}
        order by "linkedId" collate "C", "recordId" collate "C"`.execute(statements)
    ).rows
  const links = await read(source.plumbline.database)
  expect(links.length).toBeGreaterThan(10)
  expect(await read(target.database)).toEqual(links)
})

describe('faulty imports', () => {
  const changed = path.join(folder, 'changed.ndjson')
  let empty: Deployment

  beforeAll(async () => {
    empty = await newDeployment('empty')
  })
  afterAll(() => empty?.database.close())

  async function importChanged(change: (lines: Line[]) => Line[], to = empty): Promise<ImportResult> {
    const lines = change(structuredClone(before))
    writeFileSync(changed, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    return importOrganization(to, changed, files)
  }

  async function expectNothing(): Promise<void> {
    const { rows } = await sql`select "id" from "organizations"`.execute(empty.database.statements)
    expect(rows).toEqual([])
    for (const { name } of await listOwnedTables(empty.database.statements)) {
      const { rows } = await sql`select "organizationId" from ${sql.table(name)} limit 1`.execute(
        empty.database.statements,
      )
      expect([name, rows]).toEqual([name, []])
    }
    const stored = path.join(empty.config.dataDir, 'files', organizationId)
    expect(existsSync(stored)).toBe(false)
  }

  /** Adds a row after the last row of its table and updates the number of rows. */
  function withRow(lines: Line[], table: string, row: object): Line[] {
    const last = lines.findLastIndex(({ kind, data }) => kind === 'row' && data.table === table)
    const [header] = lines
    if (header) header.data.import.rows[table] += 1
    return lines.toSpliced(last === -1 ? lines.length : last + 1, 0, { kind: 'row', data: { table, row } })
  }

  test('an import is rejected if its file is not an export or has no rows', async () => {
    writeFileSync(changed, 'id,name\n')
    await expect(importOrganization(empty, changed, null)).rejects.toThrow('is not an export of a builder')
    await expect(importOrganization(empty, path.join(folder, 'none'), null)).rejects.toThrow('Cannot read')
    const withoutRows = importChanged(([header, ...lines]) => [
      { kind: 'export', data: { ...header?.data, import: undefined } },
      ...lines.filter(({ kind }) => kind !== 'row'),
    ])
    await expect(withoutRows).rejects.toThrow('organizations export --for-import')
    await expectNothing()
  })

  test('an import is rejected if the database schema differs', async () => {
    const older = importChanged((lines) => {
      if (lines[0]) lines[0].data.import.migration = '0001_foundation'
      return lines
    })
    await expect(older).rejects.toThrow(
      /schema of the export \(0001_foundation\) differs from the schema of this deployment \(\d{4}_/,
    )
    await expectNothing()
  })

  test('an import is rejected if rows are missing, or belong to another builder or an unknown table', async () => {
    // Removes the last line. It may belong to any table.
    await expect(importChanged((lines) => lines.slice(0, -1))).rejects.toThrow(
      /has \d+ of [1-9]\d* rows of [a-zA-Z]+\./,
    )
    const [vendor] = rowsOf(before, 'vendors')
    const stolen = { ...vendor, organizationId: 'org_01m7y975jyfesvq695t8y8ma68' }
    await expect(importChanged((lines) => withRow(lines, 'vendors', stolen))).rejects.toThrow('another builder')
    await expect(importChanged((lines) => withRow(lines, 'deployment', vendor))).rejects.toThrow('unknown table')
    await expect(importChanged((lines) => withRow(lines, 'vendors', { ...vendor, id: 7 }))).rejects.toThrow(
      'is damaged',
    )
    await expectNothing()
  })

  test('an import is rejected if an ID would point to another folder', async () => {
    const outside = importChanged((lines) => {
      if (lines[0]) lines[0].data.organizationId = '../../tmp'
      return lines
    })
    await expect(outside).rejects.toThrow('is not an export of a builder')
    const [attachment] = rowsOf(before, 'attachments')
    const attached = importChanged((lines) => withRow(lines, 'attachments', { ...attachment, id: '../secret' }))
    await expect(attached).rejects.toThrow('an attachment without a valid ID')
    await expectNothing()
  })

  test('an import is rejected if two rows have the same key or a value is invalid', async () => {
    const [vendor] = rowsOf(before, 'vendors')
    await expect(importChanged((lines) => withRow(lines, 'vendors', vendor))).rejects.toThrow(
      new RegExp(`Cannot import a row of vendors: .*${vendor.id}`),
    )
    const { accountingId: _, externalId: __, ...home } = rowsOf(before, 'homes')[0]
    const odd = { ...home, id: 'home_01m7y975jyfesvq695t8y8ma68', createdAt: 'yesterday evening' }
    await expect(importChanged((lines) => withRow(lines, 'homes', odd))).rejects.toThrow('Cannot import a row of homes')
    const orphan = { ...home, id: 'home_01m7y975jyfesvq695t8y8ma68', communityId: 'com_01m7y975jyfesvq695t8y8ma68' }
    await expect(importChanged((lines) => withRow(lines, 'homes', orphan))).rejects.toThrow(
      'com_01m7y975jyfesvq695t8y8ma68',
    )
    await expectNothing()
  })

  test('an import is rejected if the deployment has its maximum number of builders', async () => {
    const full = { ...empty, config: { ...empty.config, betaMaxOrganizations: 0 } }
    await expect(importOrganization(full, file, files)).rejects.toMatchObject({ code: 'beta_full' })
    await expectNothing()
  })

  test('an import into a deployment that already has the builder changes nothing', async () => {
    const again = importOrganization(target, file, files)
    await expect(again).rejects.toThrow(`already has the builder ${organizationId}`)
    expect(readdirSync(path.join(target.config.dataDir, 'files', organizationId)).length).toBeGreaterThan(0)
    const now = await exportTo(path.join(folder, 'later.ndjson'), target)
    expect(differences(after, now).map(subjectOf)).not.toContain('vendor')
  })

  test('the import result lists missing and damaged files', async () => {
    const [first, second] = rowsOf(before, 'attachments').filter(({ archivedAt }) => archivedAt === undefined)
    const some = path.join(folder, 'some-files')
    cpSync(files, some, { recursive: true })
    rmSync(path.join(some, first.id))
    writeFileSync(path.join(some, second.id), 'damaged')
    const result = await importOrganization(empty, file, some)
    const listed = result.files.missing.map(({ id, isDamaged }) => [id, isDamaged])
    expect(listed.sort()).toEqual([[first.id, false] as const, [second.id, true] as const].sort())
    expect(result.files.copied).toBe(imported.files.copied - 2)
  })
})

test('an imported builder can use its search, files, tax IDs, and events', async () => {
  const database: Database = Object.create(target.database)
  // Keeps the database open, because other tests use it afterward.
  database.close = async () => {}
  const plumbline = await startTestPlumbline(
    { DATA_DIR: target.config.dataDir, ENCRYPTION_KEY: encryptionKey.toString('base64') },
    { database },
  )
  try {
    const { key: stranger, organizationId: other } = plumbline
    expect(other).not.toBe(organizationId)
    expect((await plumbline.get('/api/ext/me', { key: source.plumbline.key })).status).toBe(401)
    expect((await plumbline.get(`/api/ext/vendors/${vendorId}`, { key: stranger })).status).toBe(404)
    const [owner] = rowsOf(after, 'users')
    const { secret: key } = await createKey(database, plumbline.clock, {
      ...{ organizationId, userId: owner.id, name: 'New', expiresAt: null },
    })
    const mine = { key }
    await expect
      .poll(
        async () =>
          (await plumbline.get('/api/ext/vendors?q=zilker', mine)).body.data.map(({ id }: Line['data']) => id),
        { timeout: 10_000 },
      )
      .toEqual([vendorId])
    const [attachment] = rowsOf(after, 'attachments').filter(({ archivedAt }) => archivedAt === undefined)
    const content = await fetch(`${plumbline.url}/api/ext/attachments/${attachment.id}/content`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect([content.status, Buffer.from(await content.arrayBuffer())]).toEqual([
      ...[200, readFileSync(path.join(files, attachment.id))],
    ])
    const { rows } = await sql<{ sealed: string }>`
      select "sealedTaxId" as "sealed" from "vendors" where "id" = ${vendorId}`.execute(database.statements)
    const place = getTaxIdEncryptionContext(organizationId, vendorId)
    expect(createVault(encryptionKey).open(rows[0]?.sealed ?? '', place)).toBe(TAX_ID)
    const last = Math.max(...rowsOf(after, 'events').map(({ sequence }) => Number(sequence ?? 0)))
    const unnumbered = rowsOf(after, 'events').filter(({ sequence }) => sequence === undefined)
    expect((await plumbline.post('/api/ext/vendors', { companyName: 'First of the new place' }, mine)).status).toBe(201)
    const newest = async () => (await plumbline.get('/api/ext/events?sort=-sequence&limit=1', mine)).body.data[0]
    await expect.poll(async () => (await newest()).sequence, { timeout: 10_000 }).toBe(last + unnumbered.length + 1)
    expect(last).toBeGreaterThan(0)
  } finally {
    await plumbline.stop()
  }
})
