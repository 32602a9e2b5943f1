import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../scripts/processes/receiver.ts'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { startMailServer } from '../../../test/support/mail-server.ts'
import { createNetwork } from '../../../test/support/network.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../database/database.ts'
import { readOwnVersion } from '../runtime/version.ts'

const TOKEN = 'a-token-of-some-length'
let receiver: Receiver
let running: TestPlumbline | null = null

beforeAll(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  await running?.stop()
  running = null
})
afterAll(() => receiver.close())

async function start(env: Record<string, string> = {}): Promise<TestPlumbline> {
  running = await startTestPlumbline(env)
  return running
}

async function read(plumbline: TestPlumbline, headers: Record<string, string> = {}) {
  const response = await fetch(plumbline.metricsUrl ?? '', { headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

/** Returns the value of a series; 0 if it is missing. `series` is the name with the labels as in the text. */
function value(text: string, series: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? 0 : Number(line.slice(series.length + 1))
}

async function until(plumbline: TestPlumbline, holds: (text: string) => boolean): Promise<string> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const { text } = await read(plumbline)
    if (holds(text)) return text
    if (Date.now() > deadline) throw new Error(`The metrics did not reach the expected state:\n${text}`)
    await new Promise((next) => setTimeout(next, 50))
  }
}

test('the service provides no metrics if neither a port nor a token is configured', async () => {
  const plumbline = await start()
  expect(plumbline.metricsUrl).toBeNull()
  expect((await plumbline.get('/metrics')).status).toBe(404)
})

test('metrics on the public port require the token', async () => {
  const plumbline = await start({ METRICS_TOKEN: TOKEN })
  expect(plumbline.metricsUrl).toBe(`${plumbline.url}/metrics`)
  expect((await read(plumbline)).status).toBe(401)
  expect((await read(plumbline, { authorization: 'Bearer another-token-of-some-length' })).status).toBe(401)
  expect((await read(plumbline, { authorization: `Bearer ${plumbline.key}` })).status).toBe(401)
  const reported = await read(plumbline, { authorization: `Bearer ${TOKEN}` })
  expect(reported.status).toBe(200)
  expect(reported.type).toContain('text/plain')
})

describe('on a separate port', () => {
  let plumbline: TestPlumbline
  beforeAll(async () => {
    plumbline = await startTestPlumbline({ METRICS_PORT: '0' })
  })
  afterAll(() => plumbline.stop())

  test('request metrics count and time requests by operation and status', async () => {
    await plumbline.post('/api/ext/vendors', { companyName: 'Lone Star Framing LLC' })
    await plumbline.post('/api/ext/vendors', {})
    await plumbline.get('/api/ext/nowhere')
    const { text } = await read(plumbline)
    const name = 'plumbline_request_duration_seconds_count'
    expect(value(text, `${name}{operation="createVendor",status="201"}`)).toBe(1)
    expect(value(text, `${name}{operation="createVendor",status="422"}`)).toBe(1)
    expect(value(text, `${name}{operation="none",status="404"}`)).toBe(1)
    expect(
      value(text, 'plumbline_request_duration_seconds_sum{operation="createVendor",status="201"}'),
    ).toBeGreaterThan(0)
    expect(value(text, 'plumbline_database_pool_size')).toBeGreaterThan(0)
    expect(text).toContain('plumbline_database_pool_waiting ')
  })

  test('metrics count each recorded event once', async () => {
    const [recorded, dispatched] = ['plumbline_events_recorded_total', 'plumbline_events_dispatched_total']
    const before = value((await read(plumbline)).text, recorded)
    const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'A' })
    await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { companyName: 'B' })
    await plumbline.post('/api/ext/vendors', { companyName: 'C' }, { headers: { 'idempotency-key': 'c' } })
    const dryRun = { skill: 'createVendor', input: { companyName: 'D' }, dryRun: true }
    await plumbline.post('/api/ext/execute', dryRun)
    const text = await until(plumbline, (reported) => value(reported, dispatched) === before + 3)
    expect(value(text, recorded)).toBe(before + 3)
    expect(value(text, 'plumbline_oldest_undispatched_event_age_seconds')).toBe(0)
  })

  test('metrics contain the version, the disk space, and the state of the database and the file store', async () => {
    const { text } = await read(plumbline)
    expect(value(text, `plumbline_build_info{version="${readOwnVersion()}"}`)).toBe(1)
    expect(value(text, 'plumbline_database_up')).toBe(1)
    expect(value(text, 'plumbline_files_up')).toBe(1)
    const free = value(text, 'plumbline_data_dir_free_bytes')
    expect(free).toBeGreaterThan(0)
    expect(value(text, 'plumbline_data_dir_size_bytes')).toBeGreaterThan(free)
  })

  test('metrics report a failing job as overdue until it succeeds again', async () => {
    const [failures, lag] = ['plumbline_job_failures_total', 'plumbline_job_lag_seconds'].map(
      (name) => `${name}{job_name="expireBids"}`,
    ) as [string, string]
    const { text } = await read(plumbline)
    expect(text).toContain(`${failures} 0\n`)
    expect(text).toContain('plumbline_job_lag_seconds{job_name="forgetAged"} 0\n')
    const { statements } = plumbline.database
    await sql`alter table "bids" rename to "bidsAway"`.execute(statements)
    const late = await until(plumbline, (now) => value(now, lag) > 1)
    expect(value(late, failures)).toBeGreaterThanOrEqual(1)
    await sql`alter table "bidsAway" rename to "bids"`.execute(statements)
    await until(plumbline, (now) => now.includes(`${lag} 0\n`))
  })

  test('metrics count an internal error of a request', async () => {
    const { statements } = plumbline.database
    const before = value((await read(plumbline)).text, 'plumbline_errors_total')
    await sql`alter table "leads" rename to "leadsAway"`.execute(statements)
    const { status } = await plumbline.get('/api/ext/leads')
    await sql`alter table "leadsAway" rename to "leads"`.execute(statements)
    expect(status).toBe(500)
    expect(value((await read(plumbline)).text, 'plumbline_errors_total')).toBe(before + 1)
  })

  test('metrics on a separate port are not available on the public port', async () => {
    expect(new URL(plumbline.metricsUrl ?? '').origin).not.toBe(plumbline.url)
    expect((await read(plumbline)).status).toBe(200)
    expect((await plumbline.get('/metrics')).status).toBe(404)
    const elsewhere = new URL('/api/ext/vendors', plumbline.metricsUrl ?? '')
    expect((await fetch(elsewhere, { headers: { authorization: `Bearer ${plumbline.key}` } })).status).toBe(404)
  })
})

test('metrics on a separate port can also require a token', async () => {
  const plumbline = await start({ METRICS_PORT: '0', METRICS_TOKEN: TOKEN })
  expect((await read(plumbline)).status).toBe(401)
  expect((await read(plumbline, { authorization: `Bearer ${TOKEN}` })).status).toBe(200)
})

test('a metrics token that is too short prevents startup', () => {
  expect(() => readConfig({ METRICS_TOKEN: 'short' })).toThrow('METRICS_TOKEN')
})

test('metrics count deliveries and delivery attempts by outcome', async () => {
  const plumbline = await start({ METRICS_PORT: '0', WEBHOOK_RETRY_SCHEDULE: '0,3600' })
  const held: (() => void)[] = []
  receiver.answer(({ event }, response) => {
    const name = event.data.object.companyName
    if (name === 'Held') held.push(() => response.writeHead(204).end())
    else response.writeHead(name === 'Bad' ? 500 : 204).end()
  })
  await plumbline.post('/api/ext/webhooks', { url: receiver.url, eventTypes: ['*'] })
  for (const companyName of ['Good', 'Bad', 'Good', 'Held']) await plumbline.post('/api/ext/vendors', { companyName })
  const attempts = 'plumbline_webhook_attempt_duration_seconds_count'
  const during = await until(
    plumbline,
    (text) => value(text, `${attempts}{outcome="rejected"}`) === 1 && held.length === 1,
  )
  expect(value(during, 'plumbline_webhook_attempts_in_flight')).toBeGreaterThan(0)
  for (const answer of held) answer()
  const after = await until(plumbline, (text) => value(text, `${attempts}{outcome="succeeded"}`) === 3)
  expect(value(after, 'plumbline_webhook_deliveries_total{status="succeeded"}')).toBe(3)
  expect(value(after, 'plumbline_webhook_deliveries_total{status="pending"}')).toBe(1)
  expect(value(after, 'plumbline_webhook_delay_seconds_count')).toBe(4)
  expect(value(after, 'plumbline_webhook_oldest_due_delivery_age_seconds')).toBe(0)
})

test('metrics report the age of a due delivery that cannot be sent yet', async () => {
  const plumbline = await start({ METRICS_PORT: '0' })
  const held: ServerResponse[] = []
  receiver.answer((_request, response) => void held.push(response))
  await plumbline.post('/api/ext/webhooks', { url: receiver.url, eventTypes: ['*'] })
  // The number of deliveries exceeds the maximum in progress of one subscription.
  const before = receiver.received.length
  for (let i = 0; i < 40; i++) await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${i}` })
  await receiver.until(before + 32)
  await until(plumbline, (text) => value(text, 'plumbline_webhook_attempts_in_flight') === 32)
  // This time is shorter than the duration of a claim.
  plumbline.clock.advance(15_000)
  const { text } = await read(plumbline)
  expect(value(text, 'plumbline_webhook_oldest_due_delivery_age_seconds')).toBeGreaterThanOrEqual(15)
  receiver.answer((_request, response) => void response.writeHead(204).end())
  for (const response of held) response.writeHead(204).end()
})

test('metrics count emails by outcome and include waiting emails', async () => {
  const mailServer = await startMailServer()
  onTestFinished(() => mailServer.stop())
  const plumbline = await start({ ...mailServer.env, METRICS_PORT: '0' })
  mailServer.refuse('later@brazos.example.com', 451)
  mailServer.refuse('gone@brazos.example.com', 550)
  const invite = async (email: string) => {
    const vendor = { companyName: 'Brazos Framing', scopes: ['framing'], email }
    const { body } = await plumbline.post('/api/ext/vendors', vendor)
    await plumbline.post(`/api/ext/vendors/${body.id}/invite`)
  }
  const attempts = (text: string) =>
    ['sent', 'deferred', 'failed'].map((outcome) => value(text, `plumbline_mail_attempts_total{outcome="${outcome}"}`))
  expect((await read(plumbline)).text).toContain('plumbline_mail_attempts_total{outcome="failed"} 0\n')
  for (const name of ['ana', 'later', 'gone']) await invite(`${name}@brazos.example.com`)
  const during = await until(
    plumbline,
    (text) => attempts(text).join() === '1,1,1' && value(text, 'plumbline_mails_waiting') === 1,
  )
  expect(value(during, 'plumbline_oldest_waiting_mail_age_seconds')).toBeGreaterThan(0)
  // The next attempt is due a minute after the first.
  plumbline.clock.advance(50_000)
  expect(value((await read(plumbline)).text, 'plumbline_oldest_waiting_mail_age_seconds')).toBeGreaterThan(50)
  plumbline.clock.advance(20_000)
  const after = await until(plumbline, (text) => text.includes('plumbline_mails_waiting 0\n'))
  expect(attempts(after)).toEqual([2, 1, 1])
  expect(value(after, 'plumbline_oldest_waiting_mail_age_seconds')).toBe(0)
})

test.skipIf(inject('postgres') === null)(
  "a database that accepts connections without responding is reported as down within Prometheus's timeout",
  async () => {
    const url = await createPostgresUrl(inject('postgres') ?? { adminUrl: '', templateName: '' })
    const network = await createNetwork(url)
    const bounds = { databaseConnections: 24, databaseStatementTimeoutMs: 30_000 }
    const database = await openDatabase({ ...bounds, databaseUrl: network.url, dataDir: '' })
    const plumbline = await startTestPlumbline({ METRICS_PORT: '0' }, { database })
    const silent = createServer(() => {})
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(async () => {
      network.lead(Number(new URL(url).port))
      network.cut()
      await plumbline.stop()
      await network.close()
      silent.close()
    })
    expect((await read(plumbline)).text).toContain('plumbline_database_up 1\n')
    network.lead((silent.address() as AddressInfo).port)
    network.forget()
    const response = await fetch(plumbline.metricsUrl ?? '', { signal: AbortSignal.timeout(10_000) })
    const text = await response.text()
    expect(text).toContain('plumbline_database_up 0\n')
    expect(text).toContain('plumbline_oldest_undispatched_event_age_seconds Nan\n')
    expect(text).toContain('plumbline_files_up 1\n')
  },
  30_000,
)
