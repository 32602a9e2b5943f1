import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type ReceivedRequest, type Receiver, startReceiver } from '../scripts/processes/receiver.ts'
import { openDatabase } from '../server/platform/database/database.ts'
import { type Plumbline, startPlumbline } from '../server/plumbline.ts'
import { startTestPlumbline, type TestPlumbline } from './support/test-plumbline.ts'

/** Tests guarantees for integrators when several processes of the service share a database. */
const postgres = inject('postgres')

let one: TestPlumbline
let two: Plumbline
let receiver: Receiver

describe.skipIf(postgres === null)('two processes on one PostgreSQL', () => {
  beforeAll(async () => {
    one = await startTestPlumbline({
      METRICS_PORT: '0',
      WEBHOOK_RETRY_SCHEDULE: Array(100).fill(0).join(),
      WEBHOOK_PROBE_MAX_SECONDS: '1',
    })
    const { config, log, clock } = one
    const database = await openDatabase({ ...config, databaseUrl: await getAddress(one) })
    two = await startPlumbline({ config, log, clock, database })
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await two.stop()
    await one.stop()
    await receiver.close()
  })

  test('the standardwebhooks package accepts 1,000 deliveries and rejects modified deliveries', async () => {
    const { id, secret } = await subscribe(receiver.url, ['vendor.created'])
    await createVendors(1000)
    const received = await receiver.until(
      (all) => new Set(all.map(({ headers }) => headers['webhook-id'])).size === 1000,
    )
    const deliveries = [
      ...new Map(received.map((delivery) => [String(delivery.headers['webhook-id']), delivery])).values(),
    ]
    expect(deliveries).toHaveLength(1000)
    const verifier = new Webhook(secret)
    const isVerified = ({ body, headers }: Pick<ReceivedRequest, 'body' | 'headers'>) => {
      try {
        verifier.verify(body, headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    }
    expect(deliveries.filter(isVerified)).toHaveLength(1000)
    expect(deliveries.map((delivery, i) => tampered(delivery, i, deliveries)).filter(isVerified)).toEqual([])
    await one.delete(`/api/ext/webhooks/${id}`)
  }, 90_000)

  test('with concurrent attempts, a subscription is disabled after exactly 50 consecutive failures', async () => {
    const failing = await startReceiver()
    const { id } = await subscribe(failing.url, ['vendor.created'])
    // The first twenty deliveries are all in progress before any of them gets a response.
    const held: ServerResponse[] = []
    failing.answer((_request, response) => {
      held.push(response)
      if (held.length < 20) return
      for (const waiting of held) if (!waiting.headersSent) waiting.writeHead(500).end()
    })
    const before = await attemptsOfBoth()
    await createVendors(80)
    const disabled = await untilDisabled(id)
    expect(disabled).toMatchObject({ disabledReason: 'failures', consecutiveFailures: 50 })
    const { rows } = await sql<{ outcome: string; count: number }>`
      select a."outcome", count(*)::int as "count" from "deliveryAttempts" a
      join "deliveries" d on d."organizationId" = a."organizationId" and d."id" = a."deliveryId"
      where d."webhookId" = ${id} group by a."outcome"`.execute(one.database.statements)
    expect(rows).toEqual([{ outcome: 'rejected', count: 50 }])
    const after = await attemptsOfBoth()
    for (const i of [0, 1] as const) expect(after[i] - before[i]).toBeGreaterThan(0)
    // Both processes deliver later events to other receivers, but not to this one.
    const witness = await subscribe(receiver.url, ['vendor.created'])
    const received = receiver.received.length
    one.clock.advance(60_000)
    await createVendors(20)
    await receiver.until(received + 20)
    expect(failing.received).toHaveLength(50)
    const { body: reported } = await one.get(`/api/ext/messages?relatedToId=${id}`)
    expect(reported.data).toHaveLength(1)
    await one.delete(`/api/ext/webhooks/${witness.id}`)
    await failing.close()
  }, 90_000)
})

async function getAddress(plumbline: TestPlumbline): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as "name"`.execute(
    plumbline.database.statements,
  )
  const url = new URL(postgres?.adminUrl ?? '')
  url.pathname = `/${rows[0]?.name}`
  return url.href
}

async function subscribe(url: string, eventTypes: string[]): Promise<{ id: string; secret: string }> {
  const { status, body } = await one.post('/api/ext/webhooks', { url, eventTypes })
  expect(status).toBe(201)
  return body
}

let count = 0
/** Creates vendors, twenty at a time, alternating between the two processes. */
async function createVendors(many: number): Promise<void> {
  const addresses = [one.url, two.url]
  let left = many
  const writer = async () => {
    while (left-- > 0) {
      const response = await fetch(`${addresses[++count % 2]}/api/ext/vendors`, {
        method: 'POST',
        headers: { authorization: `Bearer ${one.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ companyName: `Vendor ${count}` }),
      })
      expect(response.status).toBe(201)
    }
  }
  await Promise.all(Array.from({ length: 20 }, writer))
}

async function untilDisabled(id: string) {
  const deadline = Date.now() + 80_000
  for (;;) {
    const { body } = await one.get(`/api/ext/webhooks/${id}`)
    if (body.status === 'disabled') return body
    if (Date.now() > deadline) throw new Error(`It was not disabled: ${JSON.stringify(body)}`)
    // The test's clock determines the pauses between probes.
    one.clock.advance(1000)
    await new Promise((next) => setTimeout(next, 20))
  }
}

/** Returns the numbers of attempts that the two processes have made so far. */
async function attemptsOfBoth(): Promise<[number, number]> {
  const created = async ({ metricsUrl }: Plumbline) => {
    const text = await (await fetch(metricsUrl ?? '')).text()
    const counts = text.matchAll(/^plumbline_webhook_attempt_duration_seconds_count\{.*\} (\d+)$/gm)
    return [...counts].reduce((sum, [, number]) => sum + Number(number), 0)
  }
  return [await created(one), await created(two)]
}

/**
 * Returns a falsified delivery: with a wrong byte in the body, the signature, or the time, or with the ID of another
 * event.
 */
function tampered(
  { body, headers }: ReceivedRequest,
  i: number,
  all: ReceivedRequest[],
): Pick<ReceivedRequest, 'body' | 'headers'> {
  const flip = (text: string, at: number) => {
    const index = at % text.length
    return `${text.slice(0, index)}${text[index] === 'x' ? 'y' : 'x'}${text.slice(index + 1)}`
  }
  const signature = String(headers['webhook-signature'])
  const other = all[(i + 1) % all.length]
  const errors: Pick<ReceivedRequest, 'body' | 'headers'>[] = [
    { body: flip(body, i * 7919), headers },
    { body, headers: { ...headers, 'webhook-signature': `v1,${flip(signature.slice(3), i % 40)}` } },
    { body, headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1 - i) } },
    { body, headers: { ...headers, 'webhook-id': String(other?.headers['webhook-id']) } },
  ]
  return errors[i % errors.length] ?? { body: '', headers }
}
