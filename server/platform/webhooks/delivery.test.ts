import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Webhook } from '../../../client/contract.gen.ts'
import { type Receiver, startReceiver } from '../../../scripts/processes/receiver.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { notifyDisabledWebhooks } from '../../domain/messages/notify-disabled-webhooks.ts'
import { FailureLog } from '../problems/failure-log.ts'
import { deleteOldDeliveries } from './delete-old-deliveries.ts'
import { type DeliveryPipeline, startDelivery } from './delivery.ts'

/** These tests check delivery by several workers with the same database: the worker of the service and two more. */
let plumbline: TestPlumbline
let workers: DeliveryPipeline[]
let receiver: Receiver

beforeAll(async () => {
  plumbline = await startTestPlumbline({
    WEBHOOK_RETRY_SCHEDULE: Array(100).fill(0).join(),
    WEBHOOK_PROBE_MAX_SECONDS: '1',
  })
  const { database, config, clock } = plumbline
  const log = pino({ level: 'silent' })
  const failures = new FailureLog(database, log)
  workers = [1, 2].map(() =>
    startDelivery({
      ...{ database, config, clock, log, failures, contract: plumbline.app.services.contract },
      tellDisabled: (trx, disabled) => notifyDisabledWebhooks(trx, plumbline.app.services, disabled),
    }),
  )
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await plumbline.stop()
})
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  for (const { id } of (await plumbline.get('/api/ext/webhooks?limit=200')).body.data)
    await plumbline.delete(`/api/ext/webhooks/${id}`)
  await receiver.close()
})

async function subscribe(url = receiver.url): Promise<string> {
  const answer = await plumbline.post('/api/ext/webhooks', { url, eventTypes: ['vendor.created'] })
  expect(answer.status).toBe(201)
  return answer.body.id
}

let count = 0
async function createVendors(many: number): Promise<void> {
  await Promise.all(
    Array.from({ length: many }, () => plumbline.post('/api/ext/vendors', { companyName: `Vendor ${++count}` })),
  )
}

function wakeAll(): void {
  for (const worker of workers) worker.wake()
}

/** Runs the workers and advances the clock in steps of one second, until the subscription meets the condition. */
async function secondBySecond(id: string, holds: (webhook: Webhook) => boolean): Promise<void> {
  const look = async () => {
    const { body } = await plumbline.get(`/api/ext/webhooks/${id}`)
    if (holds(body)) return true
    plumbline.clock.advance(1000)
    for (const worker of workers) worker.due({ organizationId: plumbline.organizationId, webhookId: id })
    return false
  }
  await vi.waitUntil(look, { timeout: 80_000, interval: 20 })
}

test('several workers send each event only once', async () => {
  const ids = [await subscribe(), await subscribe(`${receiver.url}?again`)]
  for (let round = 0; round < 10; round++) {
    await createVendors(10)
    wakeAll()
  }
  await receiver.until(200)
  for (const id of ids) {
    await plumbline.until(
      `/api/ext/webhooks/${id}/deliveries?status=succeeded&limit=200`,
      ({ body }) => body.data.length === 100,
    )
  }
  expect(receiver.received).toHaveLength(200)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(100)
})

test('events are numbered without gaps, in the order in which they become readable', async () => {
  await createVendors(30)
  const { body } = await plumbline.until(
    '/api/ext/events?limit=200&type=vendor.created&sort=-sequence',
    ({ body: page }) =>
      page.data.length > 0 && page.data.every(({ sequence }: { sequence: number | null }) => sequence !== null),
  )
  const all = (await plumbline.get('/api/ext/events?limit=200')).body.data.map(
    ({ sequence }: { sequence: number }) => sequence,
  )
  expect(all).toEqual(all.map((_: number, i: number) => all[0] + i))
  expect(body.data[0].sequence).toBeGreaterThan(body.data[1].sequence)
})

test('the fiftieth consecutive failure disables a webhook subscription', async () => {
  const id = await subscribe()
  receiver.answer((_request, response) => void setTimeout(() => response.writeHead(500).end(), 30))
  await createVendors(60)
  await secondBySecond(id, ({ status }) => status === 'disabled')
  const { body } = await plumbline.get(`/api/ext/webhooks/${id}`)
  expect(body).toMatchObject({ status: 'disabled', disabledReason: 'failures', consecutiveFailures: 50 })
  expect(receiver.received).toHaveLength(50)
  const attempts = await sql<{ count: number }>`select count(*)::int as count from "deliveryAttempts" a
    join "deliveries" d on d."organizationId" = a."organizationId" and d."id" = a."deliveryId" where d."webhookId" = ${id}`.execute(
    plumbline.database.statements,
  )
  expect(attempts.rows[0]?.count).toBe(50)
  const { body: reported } = await plumbline.get(`/api/ext/messages?relatedToId=${id}`)
  expect(reported.data).toHaveLength(1)
}, 90_000)

test('a success resets the number of consecutive failures', async () => {
  const id = await subscribe()
  let attempt = 0
  receiver.answer((_request, response) => void response.writeHead(++attempt === 50 || attempt > 99 ? 200 : 500).end())
  await createVendors(3)
  await secondBySecond(id, ({ status, consecutiveFailures }) => {
    expect(status).toBe('active')
    return attempt >= 100 && consecutiveFailures === 0
  })
  expect(attempt).toBeGreaterThanOrEqual(100)
}, 90_000)

test('a receiver that does not respond does not delay deliveries to other receivers', async () => {
  const hanging = await startReceiver()
  hanging.answer(() => {})
  await subscribe(hanging.url)
  await subscribe()
  await createVendors(100)
  await hanging.until(1)
  await receiver.until(100)
  expect(hanging.received.length).toBeLessThanOrEqual(32)
  await hanging.close()
})

test('deliveries that an ended process has claimed are sent when its claim expires', async () => {
  const id = await subscribe()
  await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'disabled' })
  await createVendors(1)
  await plumbline.until(`/api/ext/webhooks/${id}/deliveries`, ({ body }) => body.data.length === 1)
  const claimedUntil = new Date(plumbline.clock.nowMs() + 20_000)
  await plumbline.database.statements
    .updateTable('deliveries')
    .set({ claimedUntil, claimId: 'of a process that is gone' })
    .where('webhookId', '=', id)
    .execute()
  await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'active' })
  plumbline.clock.advance(20_001)
  await receiver.until(1)
})

test('a webhook delivery is deleted after its retention period', async () => {
  const id = await subscribe()
  await createVendors(2)
  await receiver.until(2)
  await plumbline.until(`/api/ext/webhooks/${id}/deliveries?status=succeeded`, ({ body }) => body.data.length === 2)
  await plumbline.patch(`/api/ext/webhooks/${id}`, { status: 'disabled' })
  await createVendors(1)
  await plumbline.until(`/api/ext/webhooks/${id}/deliveries?status=held`, ({ body }) => body.data.length === 1)
  const day = 24 * 3_600_000
  const left = async () =>
    (await plumbline.get(`/api/ext/webhooks/${id}/deliveries`)).body.data.map(
      ({ status }: { status: string }) => status,
    )
  plumbline.clock.advance(13 * day)
  await deleteOldDeliveries(plumbline.database, plumbline.clock)
  expect(await left()).toEqual(['held', 'succeeded', 'succeeded'])
  plumbline.clock.advance(day + 1000)
  await deleteOldDeliveries(plumbline.database, plumbline.clock)
  expect(await left()).toEqual(['succeeded', 'succeeded'])
  plumbline.clock.advance(16 * day)
  await deleteOldDeliveries(plumbline.database, plumbline.clock)
  expect(await left()).toEqual([])
  const { rows } = await sql`select 1 from "deliveryAttempts" limit 1`.execute(plumbline.database.statements)
  expect(rows).toEqual([])
})
