import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Caller } from '../../../client/contract.gen.ts'
import { createUnlimitedEnvironment, startService } from '../../../scripts/processes/service.ts'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { startMailServer } from '../../../test/support/mail-server.ts'
import { putMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { runCommand, runCommandIn, runCommandInProcess } from '../../../test/support/run-command.ts'
import { readConfig } from '../../platform/config/config.ts'
import { claimDataFolder } from '../../platform/database/data-folder.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { type Plumbline, startPlumbline } from '../../plumbline.ts'
import type { Finding } from './doctor.ts'

/** The data that an API key can read about itself, or a problem. */
type Seen = Caller & { code?: string }

/**
 * Tests the commands while a service uses the same database. `cli` runs a command in a separate process, as an operator
 * would, once for each group of commands. `here` runs a command in this process.
 */
const environment: Record<string, string> = { COMPILE_AHEAD: 'false' }
const cli = (...args: string[]) => runCommand(environment, ...args)
const here = (...args: string[]) => runCommandInProcess(environment, ...args)

// The commands make these checks before they query the database, so one kind of database is enough.
describe.skipIf(inject('postgres') !== null)('without a database', () => {
  test('a command on a data folder that a running server uses returns data_folder_in_use', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const server = claimDataFolder(folder)
    Object.assign(environment, { DATA_DIR: folder })
    const refused = await cli('organizations', 'list')
    server.release()
    delete environment.DATA_DIR
    expect(refused.code).toBe(1)
    expect(refused.json.error.code).toBe('data_folder_in_use')
    expect(refused.json.error.detail).toContain(`process ${process.pid}`)
  })

  test('the CLI can create a key while a server with the embedded database is running', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    putMigratedDatabase(folder)
    // A killed server would leave this file behind.
    writeFileSync(path.join(folder, 'operators.sock'), '')
    const { ENCRYPTION_KEY = '', ...defaults } = createUnlimitedEnvironment({
      DATA_DIR: folder,
      COMPILE_AHEAD: 'false',
    })
    Object.assign(environment, { DATA_DIR: folder, ENCRYPTION_KEY })
    const created = await cli(
      'organizations',
      'create',
      '--name',
      'Harrow & Finch Homes',
      '--owner-email',
      'a@example.com',
    )
    expect(created.code).toBe(0)
    const server = await startService({ ...defaults, ENCRYPTION_KEY })
    try {
      expect(statSync(path.join(folder, 'operators.sock')).mode & 0o777).toBe(0o600)
      const { json: listed } = await here('organizations', 'list')
      expect(listed.data).toHaveLength(1)
      const [{ id: organization }] = listed.data
      const requested = ['--permissions', 'vendors:read', '--expires-in-days', '2', '--name', 'Second']
      const { json: key } = await cli('keys', 'create', '--organization', organization, ...requested)
      expect(Date.parse(key.expiresAt)).toBeLessThan(Date.now() + 3 * 86_400_000)
      const me = await fetch(`${server.url}/api/ext/me`, { headers: { authorization: `Bearer ${key.secret}` } })
      expect(await me.json()).toMatchObject({ permissions: ['vendors:read'] })
      const unknown = await here('keys', 'revoke', 'key_01m7y975jyfesvq695t8y8ma68')
      expect([unknown.code, unknown.json.error.code]).toEqual([1, 'not_found'])
      const { json: people } = await here('users', 'list', '--organization', organization)
      expect((await here('users', 'sign-in-link', people.data[0].id)).json.url).toContain('/sign-in')
      const refused = await here('organizations', 'create', '--name', 'Another', '--owner-email', 'a@example.com')
      expect(refused.json.error.code).toBe('data_folder_in_use')
      server.signal('SIGTERM')
      await server.closed
      const { json: keys } = await cli('keys', 'list', '--organization', organization)
      expect(keys.data.map(({ name }: { name: string }) => name)).toContain('Second')
      expect(existsSync(path.join(folder, 'operators.sock'))).toBe(false)
    } finally {
      server.signal('SIGKILL')
      delete environment.DATA_DIR
      delete environment.ENCRYPTION_KEY
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('invalid input of a command is rejected before any database is opened', async () => {
    const orders = [
      ['organizations', 'create', '--name', 'A'],
      ['organizations', 'create', '--owner-email', 'a@example.com', '--name', ' '],
      ['organizations', 'create', '--owner-email', 'a@example.com', '--name', 'A', '--time-zone', 'Mars/Olympus'],
      ['organizations', 'update', 'org_x', '--week-starts-on', 'someday'],
      ['organizations', 'update', 'org_x', '--overtime-after-daily-hours', '25'],
      ['organizations', 'update', 'org_x', '--lien-waivers', 'perhaps'],
      ['organizations', 'update', 'org_x', '--sale-pipeline-stages', 'signed,signed'],
      ['organizations', 'update', 'org_x', '--sale-pipeline-stages', 'Contract signed'],
      ['keys', 'create', '--organization', 'org_x', '--permissions', 'vendors:see'],
      ['keys', 'create', '--organization', 'org_x', '--allow-from', '10.0.0.0/33'],
      ['keys', 'create', '--organization', 'org_x', '--allow-from', 'loopback'],
      ['keys', 'update', 'key_x', '--allow-from', '10.1', '--never-expires'],
      ['keys', 'update', 'key_x', '--allow-from', '::ffff:10.0.0.1'],
      ['keys', 'update', 'key_x', '--allow-from', '10.0.0.1', '--allow-from-anywhere'],
      ['keys', 'rotate', 'key_x', '--overlap-days', '8'],
      ['users', 'create', '--organization', 'org_x', '--email', 'a@b.c', '--name', 'A', '--role', 'king'],
      ['organizations', 'erase', 'org_x'],
      ['users', 'erase', 'usr_x'],
      ['vendors', 'erase-contact', 'ven_x', '--email', 'nobody'],
      ['leads', 'erase', 'lead_x'],
      ['backup'],
      ['restore'],
      ['nonsense'],
    ]
    // The folder does not exist, so a command that opened it would fail.
    Object.assign(environment, { DATA_DIR: path.join(import.meta.filename, 'nowhere') })
    const byItself = await cli('organizations', 'create')
    expect([byItself.code, byItself.json.error.code]).toEqual([1, 'usage'])
    for (const order of orders) {
      const refused = await here(...order)
      expect([order, refused.code, refused.json?.error.code]).toEqual([order, 1, 'usage'])
    }
    delete environment.DATA_DIR
  })

  test('doctor fails if one of its checks fails', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const examine = async (env: Record<string, string>) => {
      const { code, stdout } = await runCommandInProcess({ DATA_DIR: folder, ...env }, 'doctor')
      const { checks } = JSON.parse(stdout)
      return { code, checks, states: Object.fromEntries(checks.map((each: Finding) => [each.check, each.status])) }
    }
    expect(await examine({})).toMatchObject({ code: 1, states: { configuration: 'ok', database: 'failed' } })
    expect(readdirSync(folder)).toEqual(['files'])
    putMigratedDatabase(folder)
    const mailServer = await startMailServer()
    onTestFinished(() => mailServer.stop())
    expect(await examine(mailServer.env)).toMatchObject({
      code: 0,
      states: {
        ...{ configuration: 'ok', database: 'ok', version: 'ok', wall: 'ok', clock: 'ok', storage: 'ok' },
        mail: 'ok',
      },
    })
    expect(await examine({ TRUSTED_PROXIES: '127.0.0' })).toMatchObject({
      code: 1,
      checks: [{ check: 'configuration', status: 'failed', detail: expect.stringMatching(/^TRUSTED_PROXIES/) }],
    })
    const unreachable = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' }
    expect(await examine(unreachable)).toMatchObject({ code: 1, states: { database: 'ok', mail: 'failed' } })
    const held = claimDataFolder(folder)
    const { code, states } = await examine({})
    held.release()
    expect([code, states.database, states.storage, states.mail]).toEqual([0, 'skipped', 'ok', 'skipped'])
    expect(existsSync(path.join(folder, 'encryption-key'))).toBe(false)
  })

  test('a command without a configured database creates no database', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const order of [
      ['organizations', 'list'],
      ['organizations', 'create', '--name', 'A', '--owner-email', 'a@example.com'],
      ['backup', '--out', 'a.tar.gz'],
      ['restore', 'a.tar.gz'],
    ]) {
      const refused = await runCommandIn(folder, {}, ...order)
      expect([order, refused.code, refused.json.error.code]).toEqual([order, 1, 'configuration'])
      expect(refused.json.error.detail).toMatch(/^No database exists in .* Set DATABASE_URL or DATA_DIR/)
    }
    expect(readdirSync(folder)).toEqual([])
  })

  test('a production service on PostgreSQL requires an encryption key', async () => {
    const production = { NODE_ENV: 'production', DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' }
    Object.assign(environment, production)
    const refused = await cli('organizations', 'list')
    for (const name of Object.keys(production)) delete environment[name]
    expect([refused.code, refused.json.error.code]).toEqual([1, 'configuration'])
    expect(refused.json.error.detail).toContain('ENCRYPTION_KEY is missing')
  })

  test('a command can rotate the encryption key of an embedded database', async () => {
    const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    onTestFinished(() => rmSync(DATA_DIR, { recursive: true }))
    Object.assign(environment, { DATA_DIR })
    putMigratedDatabase(DATA_DIR)
    const file = path.join(DATA_DIR, 'encryption-key')
    const before = randomBytes(32).toString('base64')
    writeFileSync(file, before)
    expect((await cli('encryption-key', 'rotate')).json).toEqual({ resealed: 0, unreadable: 0, remaining: 0 })
    delete environment.DATA_DIR
    expect(readFileSync(file, 'utf8')).not.toBe(before)
    expect(existsSync(`${file}.previous`)).toBe(false)
  })

  test('every command has a help text', async () => {
    for (const order of [['--help'], ['keys', '--help'], ['keys', 'create', '--help']]) {
      const help = await cli(...order)
      expect(help.code).toBe(0)
      expect(help.text).toContain('Usage: plumbline')
    }
  })
})

describe.skipIf(inject('postgres') === null)('on PostgreSQL, beside a running service', () => {
  let plumbline: Plumbline
  let organizationId: string
  let ownerId: string

  beforeAll(async () => {
    const postgres = inject('postgres')
    if (postgres === null) throw new Error('There is no PostgreSQL to test on.')
    Object.assign(environment, {
      DATABASE_URL: await createPostgresUrl(postgres),
      BETA_MAX_ORGANIZATIONS: '2',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    })
    const config = readConfig({ ...environment, PORT: '0', CHECK_ANSWERS: 'true', LOG_LEVEL: 'silent' })
    plumbline = await startPlumbline({ config, log: pino({ level: 'silent' }), clock: new Clock() })
    const { json } = await cli(
      'organizations',
      'create',
      '--name',
      'Harrow & Finch Homes',
      '--owner-email',
      'p@example.com',
      '--owner-name',
      'Priya',
    )
    organizationId = json.organization.id
    ownerId = json.owner.id
  })
  afterAll(() => plumbline?.stop())

  async function me(secret: string) {
    const response = await fetch(`${plumbline.url}/api/ext/me`, { headers: { authorization: `Bearer ${secret}` } })
    return { status: response.status, body: (await response.json()) as Seen }
  }

  async function until(secret: string, holds: (answer: { status: number; body: Seen }) => boolean) {
    const deadline = Date.now() + 10_000
    for (;;) {
      const answer = await me(secret)
      if (holds(answer)) return answer
      if (Date.now() > deadline) throw new Error(`It did not come to it: ${JSON.stringify(answer)}`)
      await new Promise((next) => setTimeout(next, 50))
    }
  }

  function daysUntil(timestamp: string): number {
    return Math.round((Date.parse(timestamp) - Date.now()) / 86_400_000)
  }

  test('doctor checks a PostgreSQL database that a running service uses', async () => {
    const { stdout } = await here('doctor')
    const states = JSON.parse(stdout).checks.map(({ check, status }: Finding) => `${check} ${status}`)
    expect(states).toEqual(expect.arrayContaining(['database ok', 'version ok', 'wall ok', 'clock ok']))
  })

  test('a new organization is printed with its owner and appears in the list', async () => {
    const { json } = await here('organizations', 'list')
    expect(json.data).toMatchObject([
      { id: organizationId, name: 'Harrow & Finch Homes', tier: 'pro_plus', currency: 'USD' },
    ])
    const users = await cli('users', 'list', '--organization', organizationId)
    expect(users.json.data).toMatchObject([
      { id: ownerId, email: 'p@example.com', role: 'owner', poApprovalLimit: null },
    ])
  })

  test('a new key has all permissions of its user by default', async () => {
    const all = await cli('keys', 'create', '--organization', organizationId, '--name', 'Everything')
    expect(all.json).toMatchObject({
      organizationId,
      name: 'Everything',
      createdByUserId: ownerId,
      allowedAddresses: null,
    })
    expect(daysUntil(all.json.expiresAt)).toBe(365)
    const caller = await me(all.json.secret)
    expect(caller.body).toMatchObject({ keyId: all.json.id, name: 'Everything', organization: { id: organizationId } })
    expect(caller.body.permissions).toHaveLength(61)
  })

  test('a new key can have fewer permissions than its user', async () => {
    const narrow = await here(
      'keys',
      'create',
      '--organization',
      organizationId,
      '--permissions',
      'vendors:read,bids:read',
    )
    expect((await me(narrow.json.secret)).body.permissions).toEqual(['bids:read', 'vendors:read'])
  })

  test('the secret of a key is not listed', async () => {
    const all = await cli('keys', 'create', '--organization', organizationId, '--name', 'Everything')
    const listed = await here('keys', 'list', '--organization', organizationId)
    expect(listed.text).not.toContain(all.json.secret)
    expect(listed.json.data.find((key: { id: string }) => key.id === all.json.id)).toMatchObject({
      revokedAt: null,
      secrets: [{ start: all.json.secret.slice(0, 10), expiresAt: null }],
    })
  })

  test('the list of keys shows that a key is propose-only', async () => {
    const requested = [
      '--organization',
      organizationId,
      '--propose-only',
      '--permissions',
      'vendors:read,vendors:write',
    ]
    const { json: key } = await here('keys', 'create', ...requested)
    expect(key.proposeOnly).toBe(true)
    const { body: caller } = await until(key.secret, ({ body }) => body.keyId === key.id)
    expect(caller.proposeOnly).toBe(true)
    const { json: listed } = await here('keys', 'list', '--organization', organizationId)
    expect(listed.data.find(({ id }: { id: string }) => id === key.id)).toMatchObject({ proposeOnly: true })
  })

  test('a key can expire after some days, at a given time, or never', async () => {
    const create = (...more: string[]) => here('keys', 'create', '--organization', organizationId, ...more)
    expect(daysUntil((await create('--expires-in-days', '30')).json.expiresAt)).toBe(30)
    expect((await create('--expires-at', '2090-01-31T00:00:00Z')).json.expiresAt).toBe('2090-01-31T00:00:00.000Z')
    const { json: key } = await create('--never-expires')
    expect(key.expiresAt).toBeNull()
    const both = await create('--never-expires', '--expires-in-days', '30')
    expect([both.code, both.json.error.code]).toEqual([1, 'usage'])
    const changed = await here('keys', 'update', key.id, '--name', 'Voice agent', '--expires-in-days', '90')
    expect(changed.json).toMatchObject({ id: key.id, name: 'Voice agent' })
    expect(daysUntil(changed.json.expiresAt)).toBe(90)
    const { body } = await until(key.secret, ({ body }) => body.name === 'Voice agent')
    expect(body.expiresAt).toBe(changed.json.expiresAt)
    expect((await here('keys', 'update', key.id, '--never-expires')).json.expiresAt).toBeNull()
  })

  test('a key works only from its allowed IP addresses', async () => {
    const order = ['keys', 'create', '--organization', organizationId, '--allow-from']
    const { json: key } = await here(...order, '10.0.0.0/8, 2001:db8::/32')
    expect(key.allowedAddresses).toEqual(['10.0.0.0/8', '2001:db8::/32'])
    expect((await me(key.secret)).body).toMatchObject({ status: 403, code: 'address_not_allowed' })
    const { json: more } = await here('keys', 'update', key.id, '--allow-from', '10.0.0.0/8,127.0.0.1')
    expect(more.allowedAddresses).toEqual(['10.0.0.0/8', '127.0.0.1'])
    await until(key.secret, ({ status }) => status === 200)
    await here('keys', 'update', key.id, '--allow-from', '10.0.0.0/8')
    await until(key.secret, ({ status }) => status === 403)
    expect((await here('keys', 'update', key.id, '--allow-from-anywhere')).json.allowedAddresses).toBeNull()
    await until(key.secret, ({ status }) => status === 200)
    const { json: listed } = await here('keys', 'list', '--organization', organizationId)
    expect(listed.data.find(({ id }: { id: string }) => id === key.id)).toMatchObject({ allowedAddresses: null })
  })

  test("a key has only permissions that its user's role has", async () => {
    const person = [
      '--organization',
      organizationId,
      '--email',
      'elena@example.com',
      '--name',
      'Elena',
      '--role',
      'estimator',
    ]
    const { json: user } = await cli('users', 'create', ...person, '--po-approval-limit', '25000.50')
    expect(user).toMatchObject({ role: 'estimator', status: 'active', poApprovalLimit: 25_000.5 })
    const taken = await here('users', 'create', ...person)
    expect([taken.code, taken.json.error.code]).toEqual([1, 'conflict'])
    const beyond = await here(
      'keys',
      'create',
      '--organization',
      organizationId,
      '--created-by',
      user.id,
      '--permissions',
      'webhooks:write',
    )
    expect(beyond.json.error).toMatchObject({ code: 'validation_failed', errors: [{ code: 'beyond_role' }] })

    const { json: key } = await here('keys', 'create', '--organization', organizationId, '--created-by', user.id)
    expect((await me(key.secret)).body).toMatchObject({ poApprovalLimit: 25_000.5 })
    expect((await me(key.secret)).body.permissions).toContain('bids:write')
    await here('users', 'update', user.id, '--role', 'viewer', '--po-approval-limit', 'none')
    const less = await until(key.secret, ({ body }) => !JSON.stringify(body).includes('bids:write'))
    expect(less.body).toMatchObject({ poApprovalLimit: null })
    await here('users', 'update', user.id, '--status', 'disabled')
    await until(key.secret, ({ body }) => JSON.stringify(body).includes('"permissions":[]'))
    const orphan = await here('keys', 'create', '--organization', organizationId, '--created-by', user.id)
    expect(orphan.json.error.code).toBe('not_found')
  })

  test('the last owner of an organization cannot be removed', async () => {
    for (const change of [
      ['--role', 'admin'],
      ['--status', 'disabled'],
    ]) {
      const refused = await here('users', 'update', ownerId, ...change)
      expect([refused.code, refused.json.error.code]).toEqual([1, 'conflict'])
    }
  })

  test('a sign-in link from the CLI signs the user in to the running service only once', async () => {
    const created = await cli('users', 'sign-in-link', ownerId, '--valid-hours', '2')
    const hours = (Date.parse(created.json.expiresAt) - Date.now()) / 3_600_000
    expect([created.code, created.json.userId, Math.round(hours)]).toEqual([0, ownerId, 2])
    const [page, token] = created.json.url.split('#token=')
    expect(new URL(page).pathname).toBe('/sign-in')
    const redeem = () =>
      fetch(`${plumbline.url}/api/admin/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ token }),
      })
    const [first, second] = [await redeem(), await redeem()]
    expect([first.status, second.status]).toEqual([200, 409])
    expect((await here('users', 'sign-in-link', 'usr_nobody')).json.error.code).toBe('not_found')
  })

  test('a rotated secret remains valid only during the overlap', async () => {
    const { json: key } = await here('keys', 'create', '--organization', organizationId, '--name', 'Rotated')
    const { json: second } = await here('keys', 'rotate', key.id, '--overlap-days', '7')
    const days = (Date.parse(second.previousSecretEndsAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.99)
    expect(days).toBeLessThanOrEqual(7)
    for (const secret of [key.secret, second.secret]) expect((await me(secret)).body.keyId).toBe(key.id)
    const { json: third } = await here('keys', 'rotate', key.id)
    for (const secret of [key.secret, second.secret]) await until(secret, ({ body }) => body.code === 'expired_key')
    expect((await me(third.secret)).status).toBe(200)
  })

  test('a revoked API key cannot be used, rotated, or updated', async () => {
    const { json: key } = await here('keys', 'create', '--organization', organizationId, '--expires-in-days', '30')
    expect((Date.parse(key.expiresAt) - Date.now()) / 86_400_000).toBeGreaterThan(29.9)
    expect((await me(key.secret)).status).toBe(200)
    const { json: revoked } = await cli('keys', 'revoke', key.id)
    const refused = await until(key.secret, ({ status }) => status === 401)
    expect(refused.body.code).toBe('revoked_key')
    expect(Date.now() - Date.parse(revoked.revokedAt)).toBeLessThan(5000)
    expect((await here('keys', 'revoke', key.id)).json.revokedAt).toBe(revoked.revokedAt)
    expect((await here('keys', 'rotate', key.id)).json.error.code).toBe('conflict')
    expect((await here('keys', 'update', key.id, '--name', 'Again')).json.error.code).toBe('conflict')
    expect((await here('keys', 'revoke', 'key_01m7y975jyfesvq695t8y8ma68')).json.error.code).toBe('not_found')
    const past = await here('keys', 'create', '--organization', organizationId, '--expires-at', '2020-01-01T00:00:00Z')
    expect(past.json.error.code).toBe('validation_failed')
  })

  test('each setting of an organization can be changed separately', async () => {
    const update = async (...options: string[]) =>
      (await here('organizations', 'update', organizationId, ...options)).json
    const defaults = { weeklyAfterHours: 40, dailyAfterHours: null, multiplier: 1.5 }
    expect(await update('--time-zone', 'America/Chicago')).toMatchObject({ weekStartsOn: 1, overtimeRule: defaults })
    const daily = await update('--week-starts-on', 'Sunday', '--overtime-after-daily-hours', '8')
    expect(daily).toMatchObject({ weekStartsOn: 7, overtimeRule: { ...defaults, dailyAfterHours: 8 } })
    const others = await update('--overtime-after-weekly-hours', 'none', '--overtime-multiplier', '2')
    expect(others.overtimeRule).toEqual({ weeklyAfterHours: null, dailyAfterHours: 8, multiplier: 2 })
    expect(others.salePipelineStages).toHaveLength(8)
    const stages = ['contract_signed', 'survey', 'closed']
    expect(others.lienWaiverRequired).toBe(false)
    expect(await update('--sale-pipeline-stages', stages.join(', '), '--lien-waivers', 'required')).toMatchObject({
      ...{ salePipelineStages: stages, lienWaiverRequired: true },
    })
  })

  test('an organization can use the API only with the tier Pro+', async () => {
    const { json } = await here(
      'organizations',
      'create',
      '--name',
      'Second',
      '--owner-email',
      'b@example.com',
      '--tier',
      'standard',
    )
    const { json: key } = await here('keys', 'create', '--organization', json.organization.id)
    expect((await me(key.secret)).body).toMatchObject({ status: 403, code: 'tier_required' })
    expect((await here('organizations', 'update', json.organization.id, '--tier', 'pro_plus')).json.tier).toBe(
      'pro_plus',
    )
    await until(key.secret, ({ status }) => status === 200)
    const third = await here('organizations', 'create', '--name', 'Third', '--owner-email', 'a@example.com')
    expect([third.code, third.json.error.code]).toEqual([1, 'beta_full'])
  })

  test('a builder is exported to stdout or to a new file', async () => {
    const lines = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).kind)
    const { text } = await cli('organizations', 'export', organizationId)
    expect(lines(text).slice(0, 3)).toEqual(['export', 'organization', 'user'])
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    const out = path.join(folder, 'harrow.ndjson')
    const { json } = await here('organizations', 'export', organizationId, '--out', out)
    const written = readFileSync(out, 'utf8')
    expect([json.file, json.counts.user]).toEqual([out, lines(written).filter((kind) => kind === 'user').length])
    expect([readdirSync(folder), statSync(out).mode & 0o777]).toEqual([['harrow.ndjson'], 0o600])
    const taken = await here('organizations', 'export', organizationId, '--out', out)
    expect([taken.code, taken.json.error.code]).toEqual([1, 'conflict'])
    const nobody = path.join(folder, 'nobody.ndjson')
    expect((await here('organizations', 'export', 'org_nobody', '--out', nobody)).json.error.code).toBe('not_found')
    expect(readdirSync(folder)).toEqual(['harrow.ndjson'])
    rmSync(folder, { recursive: true })
  })

  test('a builder that was exported for import can be imported into another deployment', async () => {
    const postgres = inject('postgres')
    if (postgres === null) throw new Error('Expected a PostgreSQL server.')
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const other = {
      ...{ DATABASE_URL: await createPostgresUrl(postgres), DATA_DIR: path.join(folder, 'data') },
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    }
    const [plain, whole] = [path.join(folder, 'plain.ndjson'), path.join(folder, 'whole.ndjson')]
    const files = path.join(folder, 'files')
    await here('organizations', 'export', organizationId, '--out', plain)
    await here('organizations', 'export', organizationId, '--out', whole, '--files', files, '--for-import')
    const withoutRows = await runCommandInProcess(other, 'organizations', 'import', plain)
    expect([withoutRows.code, withoutRows.json.error.code]).toEqual([1, 'import_refused'])
    expect(withoutRows.json.error.detail).toContain('--for-import')
    const twice = await here('organizations', 'import', whole, '--files', files)
    expect([twice.code, twice.json.error.code]).toEqual([1, 'import_refused'])
    const { code, stdout } = await runCommandInProcess(other, 'organizations', 'import', whole, '--files', files)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { organizationId, files: { missing: [] } }])
    const { json: users } = await runCommandInProcess(other, 'users', 'list', '--organization', organizationId)
    expect(users).toEqual((await here('users', 'list', '--organization', organizationId)).json)
  })

  test('listing records of an unknown organization returns an error', async () => {
    const unknown = 'org_01m7y975jyfesvq695t8y8ma68'
    for (const order of [
      ['users', 'list', '--organization', unknown],
      ['keys', 'list', '--organization', unknown],
      ['archives', 'list', unknown],
    ]) {
      const { code, json } = await here(...order)
      expect([order, code, json.error.code]).toEqual([order, 1, 'not_found'])
      expect(json.error.detail).toBe(`Unknown organization "${unknown}". Run "organizations list" for their IDs.`)
    }
  })

  test('the archives of a builder can be listed and downloaded to a new folder', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-cli-'))
    const out = path.join(folder, 'archives')
    expect((await here('archives', 'list', organizationId)).json).toEqual({ data: [] })
    const requested = ['--kind', 'event', '--month', '2026-11', '--out', out]
    const fetched = await cli('archives', 'fetch', organizationId, ...requested)
    expect([fetched.json, statSync(out).mode & 0o777]).toEqual([{ organizationId, folder: out, copied: 0 }, 0o700])
    expect((await here('archives', 'fetch', organizationId, ...requested)).json.error.code).toBe('conflict')
    expect((await here('archives', 'list', 'org_nobody')).json.error.code).toBe('not_found')
    expect((await here('archives', 'fetch', 'org_x', '--out', out, '--month', '11')).json.error.code).toBe('usage')
    rmSync(folder, { recursive: true })
  })

  test('a person or a builder is erased only when the operator confirms the name', async () => {
    const person = ['--organization', organizationId, '--email', 'zed@example.com', '--name', 'Zed Zulu']
    const { json: user } = await here('users', 'create', ...person, '--role', 'viewer')
    const unsure = await here('users', 'erase', user.id, '--confirm', 'Zed')
    expect(unsure.json.error).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '--confirm' }] })
    const erased = await cli('users', 'erase', user.id, '--confirm', 'Zed Zulu', '--also', 'Z. Zulu', '--also', 'Zeddy')
    expect(erased.json).toMatchObject({ id: user.id, changed: { users: 1 } })
    expect((await here('vendors', 'erase-contact', 'ven_x')).json.error.code).toBe('validation_failed')
    expect((await here('leads', 'erase', 'lead_x', '--confirm', 'Zed')).json.error.code).toBe('not_found')
    expect((await here('sales', 'erase-buyer', 'sale_x', '--name', 'Zed')).json.error.code).toBe('not_found')

    const { json: listed } = await here('organizations', 'list')
    const second = listed.data.find(({ name }: { name: string }) => name === 'Second')
    const wrong = await here('organizations', 'erase', second.id, '--confirm', 'First')
    expect([wrong.code, wrong.json.error.code]).toEqual([1, 'validation_failed'])
    const gone = await here('organizations', 'erase', second.id, '--confirm', 'Second')
    expect(gone.json).toMatchObject({ organizationId: second.id, erased: { users: 1, apiKeys: 1, apiKeySecrets: 1 } })
    expect((await here('organizations', 'list')).json.data).toHaveLength(listed.data.length - 1)
  })

  test("the operator's encryption key can be rotated by providing the old and the new key", async () => {
    const { DATABASE_URL = '', ENCRYPTION_KEY = '' } = environment
    const postgres = inject('postgres')
    if (postgres === null) throw new Error('There is no PostgreSQL to test on.')
    const next = randomBytes(32).toString('base64')
    Object.assign(environment, { DATABASE_URL: await createPostgresUrl(postgres) })
    expect(
      (await here('organizations', 'create', '--name', 'Harrow & Finch Homes', '--owner-email', 'a@example.com')).code,
    ).toBe(0)
    const alone = await here('encryption-key', 'rotate')
    expect([alone.code, alone.json.error.code]).toEqual([1, 'configuration'])
    expect(alone.json.error.detail).toContain('ENCRYPTION_KEY_PREVIOUS')
    Object.assign(environment, { ENCRYPTION_KEY: next, ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY })
    expect((await here('encryption-key', 'rotate')).json).toEqual({ resealed: 0, unreadable: 0, remaining: 0 })
    delete environment.ENCRYPTION_KEY_PREVIOUS
    expect((await here('organizations', 'list')).json.data).toHaveLength(1)
    Object.assign(environment, { ENCRYPTION_KEY })
    expect((await here('organizations', 'list')).json.error.code).toBe('configuration')
    Object.assign(environment, { DATABASE_URL })
  })

  test('a second migration run does not run completed migrations again', async () => {
    expect((await cli('migrate')).json).toEqual({ migrations: [] })
  })
})
