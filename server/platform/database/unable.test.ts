import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { openDatabase } from './database.ts'

const VENDOR = { companyName: 'Brazos Framing' }

test.each([
  ['disk is full', '53100'],
  ['memory is exhausted', '53200'],
  ['disk cannot be read', '58030'],
])("if the database's %s, a request returns unavailable with Retry-After instead of internal", async (_what, code) => {
  const plumbline = await startTestPlumbline()
  const run = (text: string) => plumbline.database.statements.executeQuery(CompiledQuery.raw(text))
  try {
    await run(`create function "fail"() returns trigger language plpgsql as
      $$ begin raise exception 'It failed.' using errcode = '${code}'; end $$`)
    await run('create trigger "fails" before insert on "vendors" for each row execute function "fail"()')
    const refused = await plumbline.post('/api/ext/vendors', VENDOR)
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'unavailable', '10'])
    await run('drop trigger "fails" on "vendors"')
    expect((await plumbline.post('/api/ext/vendors', VENDOR)).status).toBe(201)
  } finally {
    await plumbline.stop()
  }
})

// A session of the embedded database cannot be terminated and replaced.
describe.skipIf(inject('postgres') === null)('a read-only database', () => {
  let plumbline: TestPlumbline
  let admin: pg.Client

  beforeAll(async () => {
    const databaseUrl = await createPostgresUrl(inject('postgres') ?? { adminUrl: '', templateName: '' })
    admin = new pg.Client(databaseUrl)
    await admin.connect()
    const database = await openDatabase({ databaseUrl, databaseConnections: 24, dataDir: '' })
    plumbline = await startTestPlumbline({ RATE_LIMIT_PER_MINUTE: '100' }, { database })
  })

  afterAll(async () => {
    await plumbline.stop()
    await admin.end()
  })

  /** Makes new sessions read-only or writable, and ends all existing sessions. */
  async function takeChanges(are: 'off' | 'on'): Promise<void> {
    const { name } = (await admin.query('select current_database()::text as "name"')).rows[0]
    await admin.query(`alter database "${name}" set default_transaction_read_only = ${are}`)
    const { rows } = await admin.query(`select "pid", pg_terminate_backend("pid") from pg_stat_activity
      where "datname" = '${name}' and "pid" <> pg_backend_pid()`)
    // PostgreSQL ends a session with a delay, during which the session still receives statements. Wait until all
    // sessions have ended.
    const pids = rows.map(({ pid }) => pid)
    const left = async () =>
      (await admin.query('select from pg_stat_activity where "pid" = any($1)', [pids])).rowCount ?? pids.length
    await vi.waitUntil(async () => (await left()) === 0, { timeout: 10_000, interval: 20 })
    await plumbline.until('/readyz', ({ status }) => status === 200)
  }

  test('if the database is read-only, the service handles reads and rejects changes', async () => {
    const list = async () => (await plumbline.get('/api/ext/vendors')).status
    const create = async () => {
      const { status, body, headers } = await plumbline.post('/api/ext/vendors', VENDOR)
      return [status, body.code, headers.get('retry-after')]
    }
    expect(await create()).toEqual([201, undefined, null])
    await takeChanges('on')
    expect(await create()).toEqual([503, 'unavailable', '10'])
    expect((await plumbline.get('/api/ext/usage')).status).toBe(200)
    const seen: number[] = []
    for (let i = 0; i < 120; i++) seen.push(await list())
    expect(new Set(seen)).toEqual(new Set([200, 429]))
    expect(seen.filter((status) => status === 200).length).toBeGreaterThan(90)
    plumbline.clock.advance(120_000)
    await takeChanges('off')
    expect(await create()).toEqual([201, undefined, null])
  })
})
