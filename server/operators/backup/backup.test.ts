import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { create, extract } from 'tar'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addDefaultKey, sendRequest } from '../../../scripts/conformance/service.ts'
import { sendBytes } from '../../../test/support/files.ts'
import { putMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { runCommand, runCommandInProcess } from '../../../test/support/run-command.ts'
import { createOrganization } from '../../domain/office/organizations/organizations.ts'
import { readConfig } from '../../platform/config/config.ts'
import { claimDataFolder, LOCK_FILE } from '../../platform/database/data-folder.ts'
import { createKey } from '../../platform/keys/keys.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { type Plumbline, startPlumbline } from '../../plumbline.ts'

// These tests apply only to the embedded database, because PostgreSQL has its own backup tools.
describe.skipIf(inject('postgres') !== null)('the embedded database', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'plumbline-backup-test-'))
  const folder = (name: string) => path.join(root, name)
  const whole = folder('whole.tar.gz')
  const bare = folder('bare.tar.gz')
  let key: string
  let vendorId: string
  let webhook: { id: string; secret: string }
  let attachmentId: string

  beforeAll(async () => {
    putMigratedDatabase(folder('first'))
    const plumbline = await start(folder('first'))
    const { organization } = await createOrganization(plumbline.database, plumbline.clock, {
      ...{ name: 'Harrow & Finch Homes', ownerEmail: 'p@example.com', ownerName: 'Priya Harrow', most: 10 },
    })
    const created = await createKey(plumbline.database, plumbline.clock, {
      organizationId: organization.id,
      name: 'Test',
    })
    key = created.secret
    const post = (to: string, body: unknown) => sendRequest(plumbline.url, 'POST', to, body, addDefaultKey(key))
    vendorId = (await post('/api/ext/vendors', { companyName: 'Brazos Framing' })).body.id
    webhook = (await post('/api/ext/webhooks', { url: 'http://127.0.0.1:9/', eventTypes: ['*'] })).body
    const { body: document } = await post(`/api/ext/vendors/${vendorId}/compliance-documents`, { type: 'w9' })
    const files = `${plumbline.url}/api/ext/attachments?recordId=${document.id}&fileName=w9.pdf`
    attachmentId = (await sendBytes(files, Buffer.from('%PDF-1.4'), { key })).body.id
    const refused = await cli(folder('first'), 'backup', '--out', whole)
    expect([refused.code, refused.json.error.code]).toEqual([1, 'data_folder_in_use'])
    await plumbline.stop()
  }, 120_000)
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  /** Returns the contents of a data folder, without the lock file. */
  const contentsOf = (dataDir: string) =>
    readdirSync(dataDir)
      .filter((name) => name !== LOCK_FILE)
      .sort()

  async function start(dataDir: string): Promise<Plumbline> {
    const config = readConfig({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', COMPILE_AHEAD: 'false' })
    return startPlumbline({ config, log: pino({ level: 'silent' }), clock: new Clock() })
  }

  /**
   * Runs a command in a separate process, as an operator would. `here` runs a command in this process, which has
   * already loaded the modules.
   */
  const cli = (dataDir: string, ...args: string[]) => runCommand({ DATA_DIR: dataDir }, ...args)
  const here = (dataDir: string, ...args: string[]) => runCommandInProcess({ DATA_DIR: dataDir }, ...args)

  async function problem(dataDir: string, file: string, run = here): Promise<string> {
    const { code, json } = await run(dataDir, 'restore', file)
    expect(code).toBe(1)
    return json.error.detail
  }

  test('the result of a backup says where the encryption key is', async () => {
    const { code, json } = await cli(folder('first'), 'backup', '--out', bare)
    expect([code, json.file, json.bytes]).toEqual([0, bare, statSync(bare).size])
    expect(json.encryptionKey).toContain(path.join(folder('first'), 'encryption-key'))
    expect(statSync(bare).mode & 0o777).toBe(0o600)
    expect((await here(folder('first'), 'backup', '--out', whole, '--with-key')).json.encryptionKey).toContain(
      'contains the encryption key',
    )
    const again = await here(folder('first'), 'backup', '--out', bare)
    expect([again.code, again.json.error.code]).toEqual([1, 'backup_refused'])
    const nothing = await here(folder('nothing'), 'backup', '--out', folder('nothing.tar.gz'))
    expect(nothing.json.error.detail).toContain('No embedded database exists')
    // Neither errors nor backups have left other files behind.
    expect(readdirSync(root).sort()).toEqual(['bare.tar.gz', 'first', 'whole.tar.gz'])
    expect(contentsOf(folder('first'))).toEqual(['database', 'encryption-key', 'files'])
  })

  test('a service on a restored backup has the same keys, data, and secrets', async () => {
    const { code, json } = await cli(folder('second'), 'restore', whole)
    expect([code, json.dataDir]).toEqual([0, folder('second')])
    expect(contentsOf(folder('second'))).toEqual(['database', 'encryption-key', 'files'])
    const plumbline = await start(folder('second'))
    const get = (from: string) => sendRequest(plumbline.url, 'GET', from, undefined, addDefaultKey(key))
    expect((await get(`/api/ext/vendors/${vendorId}`)).body.companyName).toBe('Brazos Framing')
    const { sha256: etag } = (await get(`/api/ext/attachments/${attachmentId}`)).body
    expect((await get(`/api/ext/attachments/${attachmentId}/content`)).headers.get('etag')).toBe(`"${etag}"`)
    const rotated = await sendRequest(
      plumbline.url,
      'POST',
      `/api/ext/webhooks/${webhook.id}/rotate-secret`,
      {},
      addDefaultKey(key),
    )
    expect(rotated.status).toBe(200)
    await plumbline.stop()
  })

  test('a backup without a key can be restored only with the key that encrypted its data', async () => {
    const dataDir = folder('third')
    expect(await problem(dataDir, bare)).toContain('does not contain the encryption key')
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(path.join(dataDir, 'encryption-key'), Buffer.alloc(32, 7).toString('base64'))
    expect(await problem(dataDir, bare)).toContain('ENCRYPTION_KEY is not the key')
    expect(contentsOf(dataDir)).toEqual(['encryption-key'])
    writeFileSync(path.join(dataDir, 'encryption-key'), readFileSync(path.join(folder('first'), 'encryption-key')))
    expect((await here(dataDir, 'restore', bare)).code).toBe(0)
  })

  test('a backup is restored only into an empty folder', async () => {
    expect(await problem(folder('first'), whole)).toContain('is not empty (database, files)')
    const held = claimDataFolder(folder('fourth'))
    expect(await problem(folder('fourth'), whole, cli)).toContain(`process ${process.pid}`)
    held.release()
  })

  test('a failed restore of a truncated or invalid backup leaves the folder empty', async () => {
    const dataDir = folder('fifth')
    const bytes = readFileSync(whole)
    writeFileSync(folder('cut.tar.gz'), bytes.subarray(0, Math.floor(bytes.length * 0.9)))
    writeFileSync(folder('other.tar.gz'), 'Nothing of the kind.')
    expect(await problem(dataDir, folder('cut.tar.gz'))).toContain('Cannot read')
    expect(await problem(dataDir, folder('other.tar.gz'))).toMatch(/Cannot read|is not a backup/)
    expect(await problem(dataDir, folder('absent.tar.gz'))).toContain('absent.tar.gz does not exist.')
    expect(contentsOf(dataDir)).toEqual([])
  })

  test('a service does not start on a folder with an interrupted restore', async () => {
    const dataDir = folder('sixth')
    mkdirSync(path.join(dataDir, 'restoring', 'database'), { recursive: true })
    await expect(start(dataDir)).rejects.toThrow('was interrupted')
    expect(existsSync(path.join(dataDir, 'database'))).toBe(false)
    expect((await here(dataDir, 'restore', whole)).code).toBe(0)
    await (await start(dataDir)).stop()
  })

  test('the error for a backup with a newer schema names the version that can restore it', async () => {
    const unpacked = folder('unpacked')
    // The command checks the schema before it reads any data.
    mkdirSync(path.join(unpacked, 'database'), { recursive: true })
    await extract({ file: whole, cwd: unpacked }, ['backup.json'])
    const note = JSON.parse(readFileSync(path.join(unpacked, 'backup.json'), 'utf8'))
    writeFileSync(
      path.join(unpacked, 'backup.json'),
      JSON.stringify({ ...note, version: '9.0.0', migration: '9999_later' }),
    )
    const newer = folder('newer.tar.gz')
    await create({ file: newer, gzip: true, cwd: unpacked }, readdirSync(unpacked))
    expect(await problem(folder('seventh'), newer)).toContain('newer schema (9999_later, from Plumbline 9.0.0)')
    expect(contentsOf(folder('seventh'))).toEqual([])
  })
})

test.runIf(inject('postgres') !== null)(
  'the error for a backup of a PostgreSQL database refers to the tools of PostgreSQL',
  async () => {
    const { createBackup } = await import('./create-backup.ts')
    const env = { DATABASE_URL: 'postgres://localhost/plumbline', DATA_DIR: path.join(tmpdir(), 'plumbline-none') }
    await expect(createBackup(env, { out: 'never.tar.gz', withKey: false })).rejects.toThrow('docs/operating/backup.md')
  },
)
