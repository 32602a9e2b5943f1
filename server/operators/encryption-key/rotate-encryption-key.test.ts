import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/support/databases.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { rotateKeyFile } from '../../platform/database/key-file.ts'
import { refreshEncryptionKeys, resolveEncryptionKey } from '../../platform/encryption/encryption-key.ts'
import { createVault, getKeyMark } from '../../platform/encryption/vault.ts'
import { createWebhookSecret } from '../../platform/webhooks/webhook-secret.ts'
import { rotateEncryptionKey } from './rotate-encryption-key.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

// The time until every process of the service uses a new key. Each process looks for a new key every second. On the
// embedded database, there is only one process.
const UNTIL_KNOWN_MS = 2500
const [SECRET, LATER] = [createWebhookSecret(), createWebhookSecret()]

let plumbline: TestPlumbline
beforeAll(async () => {
  // On PostgreSQL, the key is stored in the database if the operator has set none.
  plumbline = await startTestPlumbline({
    ...{ ENCRYPTION_KEY: '', DATABASE_URL: 'postgres://nowhere' },
    // No mail server accepts the emails, so they stay in the queue with their portal links.
    ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'bids@example.com' },
  })
})
afterAll(() => plumbline.stop())

const kept = () => readConfig({ DATABASE_URL: 'postgres://nowhere' })
const named = (key: Buffer, previous?: Buffer) =>
  readConfig({
    DATABASE_URL: 'postgres://nowhere',
    ENCRYPTION_KEY: key.toString('base64'),
    ENCRYPTION_KEY_PREVIOUS: previous?.toString('base64'),
  })

interface Sealed {
  table: string
  column: string
  text: string
}

/** Returns every value in the database that looks like an encrypted text, in all columns. */
async function sealedIn(database: Database): Promise<Sealed[]> {
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select c."table_name" as "table", c."column_name" as "column" from information_schema.columns c
    join information_schema.tables t on t."table_schema" = c."table_schema" and t."table_name" = c."table_name"
    where c."table_schema" = 'public' and c."data_type" = 'text' and t."table_type" = 'BASE TABLE'`.execute(
    database.statements,
  )
  const found: Sealed[] = []
  for (const { table, column } of columns) {
    const { rows } = await sql<{ text: string }>`
      select ${sql.ref(column)} as "text" from ${sql.table(table)} where ${sql.ref(column)} ~ '^v[0-9]+[.]'`.execute(
      database.statements,
    )
    found.push(...rows.map(({ text }) => ({ table, column, text })))
  }
  return found
}

async function subscribe(): Promise<{ id: string; repeat: () => Promise<unknown> }> {
  const body = {
    url: `http://127.0.0.1:9/${randomBytes(8).toString('hex')}`,
    eventTypes: ['vendor.created'],
    secret: SECRET,
  }
  const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
  const send = () => plumbline.post('/api/ext/webhooks', body, { headers })
  const { body: webhook } = await send()
  await plumbline.post(`/api/ext/webhooks/${webhook.id}/rotate-secret`, { secret: LATER, overlapHours: 24 })
  return { id: webhook.id, repeat: async () => (await send()).headers.get('idempotent-replayed') }
}

/** Requests a bid from a vendor that has an encrypted tax ID. The vendor's portal link is also encrypted. */
async function invite(): Promise<void> {
  const brazos = { companyName: 'Brazos Framing', email: 'bids@brazos.example.com', taxId: '12-3454821' }
  const { body: vendor } = await plumbline.post('/api/ext/vendors', brazos)
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' })
  const request = { vendorIds: [vendor.id], scope: 'framing', deadline: '2999-01-01', communityId: community.id }
  expect((await plumbline.post('/api/ext/bids/request', request)).status).toBe(201)
}

/** Returns the secrets of a webhook subscription. Decrypts them as a newly started process would. */
async function getSecrets(id: string, provided = kept()): Promise<string[]> {
  const { database } = plumbline
  const { config } = await resolveEncryptionKey(provided, database)
  const { secret, previousSecret } = await database.statements
    .selectFrom('webhooks')
    .select(['secret', 'previousSecret'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const place = `webhook secret ${plumbline.organizationId} ${id}`
  return [secret, previousSecret].map((sealed) => createVault(config.encryptionKey).open(String(sealed), place))
}

test('only the declared columns contain encrypted values', async () => {
  await subscribe()
  await invite()
  const sealed = await sealedIn(plumbline.database)
  const declared = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
  expect([...new Set(sealed.map(({ table, column }) => `${table}.${column}`))].sort()).toEqual([...declared].sort())
  for (const { text } of sealed) expect(text.startsWith(getKeyMark(plumbline.config.encryptionKey))).toBe(true)
})

test('an encryption key in PostgreSQL can be rotated while a service runs', async () => {
  const { database } = plumbline
  const { id, repeat } = await subscribe()
  const before = await sealedIn(database)
  const done = await rotateEncryptionKey(database, kept(), database.embedded ? 0 : UNTIL_KNOWN_MS)
  expect(done).toEqual({ resealed: before.length, unreadable: 0, remaining: 0 })
  const { config } = await resolveEncryptionKey(kept(), database)
  expect(config.encryptionKey.equals(plumbline.config.encryptionKey)).toBe(false)
  for (const { text } of await sealedIn(database)) expect(text.startsWith(getKeyMark(config.encryptionKey))).toBe(true)
  expect(await getSecrets(id)).toEqual([LATER, SECRET])
  const deployment = await database.statements.selectFrom('deployment').selectAll().executeTakeFirstOrThrow()
  expect(deployment).toMatchObject({ nextEncryptionKey: null, previousEncryptionKey: null })
  // The running service can decrypt the values after the rotation, and itself encrypts with the new key.
  if (database.embedded) return
  expect(await repeat()).toBe('true')
  const later = await subscribe()
  expect(await getSecrets(later.id)).toEqual([LATER, SECRET])
})

test("an operator's encryption key can replace the stored key or another operator's key", async () => {
  const { database } = plumbline
  // On PostgreSQL, the service's job would have noticed the change by now. On the embedded database, no service runs
  // during a command.
  await refreshEncryptionKeys(database, kept(), plumbline.config)
  const { id } = await subscribe()
  const [first, second] = [randomBytes(32), randomBytes(32)]
  // Until the rotation, a process that is started with a different key uses the stored key.
  expect((await resolveEncryptionKey(named(first), database)).isKeptInDatabase).toBe(true)
  expect(await getSecrets(id, named(first))).toEqual([LATER, SECRET])
  expect(await rotateEncryptionKey(database, named(first), 0)).toMatchObject({ unreadable: 0, remaining: 0 })
  const { config, isKeptInDatabase } = await resolveEncryptionKey(named(first), database)
  expect([config.encryptionKey.equals(first), isKeptInDatabase]).toEqual([true, false])
  expect(await getSecrets(id, named(first))).toEqual([LATER, SECRET])

  await expect(rotateEncryptionKey(database, named(first), 0)).rejects.toThrow('ENCRYPTION_KEY_PREVIOUS')
  await expect(resolveEncryptionKey(named(second), database)).rejects.toThrow('is not the key')
  // A process that has both keys encrypts with the old key, because other processes may not know the new one yet.
  expect((await resolveEncryptionKey(named(second, first), database)).config.encryptionKey.equals(first)).toBe(true)
  expect(await rotateEncryptionKey(database, named(second, first), 0)).toMatchObject({ unreadable: 0, remaining: 0 })
  expect(await getSecrets(id, named(second))).toEqual([LATER, SECRET])
  await expect(resolveEncryptionKey(named(first), database)).rejects.toThrow('is not the key')
})

test('an interrupted key rotation continues where it stopped', async () => {
  const database = await createTestDatabase()
  const [old, fresh] = [randomBytes(32), randomBytes(32)]
  await resolveEncryptionKey(named(old), database)
  const many = 450
  const seal = (by: Buffer, i: number) =>
    createVault(by).seal(`answer ${i}`, `answer org_a key_${String(i).padStart(4, '0')}`)
  for (let i = 0; i < many; i++) {
    // Every third row was re-encrypted before the interruption. Every fifth row is from the time before keys had names.
    const sealed = i % 3 === 0 ? seal(fresh, i) : seal(old, i)
    const body = i % 5 === 0 && i % 3 !== 0 ? `v1.${sealed.slice(getKeyMark(old).length)}` : sealed
    const row = { organizationId: 'org_a', key: `key_${String(i).padStart(4, '0')}`, fingerprint: 'x', status: 200 }
    await database.statements
      .insertInto('idempotencyRecords')
      .values({ ...row, headers: '{}', body, createdAt: new Date() })
      .execute()
  }
  const lost = { organizationId: 'org_a', key: 'key_lost', fingerprint: 'x', status: 200, headers: '{}' }
  const body = seal(randomBytes(32), 1)
  await database.statements
    .insertInto('idempotencyRecords')
    .values({ ...lost, body, createdAt: new Date() })
    .execute()
  const provided = named(fresh, old)
  expect(await rotateEncryptionKey(database, provided, 0)).toEqual({ resealed: 300, unreadable: 1, remaining: 1 })
  expect(await rotateEncryptionKey(database, provided, 0)).toEqual({ resealed: 0, unreadable: 1, remaining: 1 })
  const rows = await database.statements
    .selectFrom('idempotencyRecords')
    .select(['key', 'body'])
    .where('key', '<>', 'key_lost')
    .execute()
  const texts = rows.map(({ key, body }) => createVault(fresh).open(String(body), `answer org_a ${key}`))
  expect(new Set(texts).size).toBe(many)
  await database.close()
})

test('the key file of an embedded database contains the old and the new key during a rotation', async () => {
  const database = await createTestDatabase()
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'plumbline-key-'))
  const file = path.join(DATA_DIR, 'encryption-key')
  const provided = () => readConfig({ DATA_DIR })
  const { config } = await resolveEncryptionKey(provided(), database)
  const place = 'answer org_a key'
  const row = { organizationId: 'org_a', key: 'key', fingerprint: 'x', status: 200, headers: '{}' }
  const body = createVault(config.encryptionKey).seal('kept', place)
  await database.statements
    .insertInto('idempotencyRecords')
    .values({ ...row, body, createdAt: new Date() })
    .execute()
  // Simulates an interruption immediately after the change of the key file. The service must still start.
  rotateKeyFile(file)
  expect((await resolveEncryptionKey(provided(), database)).config.encryptionKey.equals(config.encryptionKey)).toBe(
    true,
  )
  expect(await rotateEncryptionKey(database, provided(), 0)).toEqual({ resealed: 1, unreadable: 0, remaining: 0 })
  expect(existsSync(`${file}.previous`)).toBe(false)
  const first = readFileSync(file, 'utf8')
  expect(await rotateEncryptionKey(database, provided(), 0)).toEqual({ resealed: 1, unreadable: 0, remaining: 0 })
  expect(readFileSync(file, 'utf8')).not.toBe(first)
  const { config: after } = await resolveEncryptionKey(provided(), database)
  const { body: sealed } = await database.statements
    .selectFrom('idempotencyRecords')
    .select('body')
    .executeTakeFirstOrThrow()
  expect(createVault(after.encryptionKey).open(String(sealed), place)).toBe('kept')
  await database.close()
})
