import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../scripts/processes/receiver.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/plumbline.ts'
import { readConfig } from '../config/config.ts'

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

/** The value of a series, by its name and labels as written; 0 if it is missing. */
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

test('without a port or a token there are no metrics', async () => {
  const plumbline = await start()
  expect(plumbline.metricsUrl).toBeNull()
  expect((await plumbline.get('/metrics')).status).toBe(404)
})

test('on the public port they need the token', async () => {
  const plumbline = await start({ METRICS_TOKEN: TOKEN })
  expect(plumbline.metricsUrl).toBe(`${plumbline.url}/metrics`)
  expect((await read(plumbline)).status).toBe(401)
  expect((await read(plumbline, { authorization: 'Bearer another-token-of-some-length' })).status).toBe(401)
  expect((await read(plumbline, { authorization: `Bearer ${plumbline.key}` })).status).toBe(401)
  const told = await read(plumbline, { authorization: `Bearer ${TOKEN}` })
  expect(told.status).toBe(200)
  expect(told.type).toContain('text/plain')
})

describe('on a separate port', () => {
  let plumbline: TestPlumbline
  beforeAll(async () => {
    plumbline = await startTestPlumbline({ METRICS_PORT: '0' })
  })
  afterAll(() => plumbline.stop())

  test('requests are counted and timed by operation and status', async () => {
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

  test('events are counted once, whether written alone, in a transaction, or with an Idempotency-Key', async () => {
    const [recorded, dispatched] = ['plumbline_events_recorded_total', 'plumbline_events_dispatched_total']
    const before = value((await read(plumbline)).text, recorded)
    const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'A' })
    await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { companyName: 'B' })
    await plumbline.post('/api/ext/vendors', { companyName: 'C' }, { headers: { 'idempotency-key': 'c' } })
    const dryRun = { skill: 'createVendor', input: { companyName: 'D' }, dryRun: true }
    await plumbline.post('/api/ext/execute', dryRun)
    const text = await until(plumbline, (told) => value(told, dispatched) === before + 3)
    expect(value(text, recorded)).toBe(before + 3)
    expect(value(text, 'plumbline_oldest_undispatched_event_age_seconds')).toBe(0)
  })

  test('they are not on the public one, and nothing else is there', async () => {
    expect(new URL(plumbline.metricsUrl ?? '').origin).not.toBe(plumbline.url)
    expect((await read(plumbline)).status).toBe(200)
    expect((await plumbline.get('/metrics')).status).toBe(404)
    const elsewhere = new URL('/api/ext/vendors', plumbline.metricsUrl ?? '')
    expect((await fetch(elsewhere, { headers: { authorization: `Bearer ${plumbline.key}` } })).status).toBe(404)
  })
})

test('a separate port can require the token too', async () => {
  const plumbline = await start({ METRICS_PORT: '0', METRICS_TOKEN: TOKEN })
  expect((await read(plumbline)).status).toBe(401)
  expect((await read(plumbline, { authorization: `Bearer ${TOKEN}` })).status).toBe(200)
})

test('a token that can be guessed stops the start', () => {
  expect(() => readConfig({ METRICS_TOKEN: 'short' })).toThrow('METRICS_TOKEN')
})

test('attempts and deliveries are counted by outcome', async () => {
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

test('a delivery that is due but cannot be sent yet has an age', async () => {
  const plumbline = await start({ METRICS_PORT: '0' })
  const held: ServerResponse[] = []
  receiver.answer((_request, response) => void held.push(response))
  await plumbline.post('/api/ext/webhooks', { url: receiver.url, eventTypes: ['*'] })
  // More than a subscription may have in flight.
  const before = receiver.received.length
  for (let i = 0; i < 40; i++) await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${i}` })
  await receiver.until(before + 32)
  await until(plumbline, (text) => value(text, 'plumbline_webhook_attempts_in_flight') === 32)
  // Less than the lease of a claim.
  plumbline.clock.advance(15_000)
  const { text } = await read(plumbline)
  expect(value(text, 'plumbline_webhook_oldest_due_delivery_age_seconds')).toBeGreaterThanOrEqual(15)
  receiver.answer((_request, response) => void response.writeHead(204).end())
  for (const response of held) response.writeHead(204).end()
})
