import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ReceivedRequest, type Receiver, startReceiver } from '../../../scripts/processes/receiver.ts'
import { listEventsAbout } from '../../../test/support/recorded-events.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let receiver: Receiver

beforeAll(async () => {
  plumbline = await startTestPlumbline({ WEBHOOK_RETRY_SCHEDULE: '0,5,300', WEBHOOK_PROBE_MAX_SECONDS: '3600' })
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  receiver = await startReceiver()
})
// Delete all subscriptions, because they would continue to send to a receiver that no longer exists.
afterEach(async () => {
  for (const { id } of (await plumbline.get('/api/ext/webhooks?limit=200')).body.data)
    await plumbline.delete(`/api/ext/webhooks/${id}`)
  await receiver.close()
})

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

async function subscribe(more: object = {}) {
  const answer = await plumbline.post('/api/ext/webhooks', {
    url: receiver.url,
    eventTypes: ['vendor.created'],
    secret: SECRET,
    ...more,
  })
  expect(answer.status).toBe(201)
  return answer.body
}

let count = 0
async function createVendor(options?: object) {
  const answer = await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${++count}` }, options)
  expect(answer.status).toBe(201)
  // Only the response of createVendor has this field. The record of the vendor does not.
  const { possibleDuplicates: _, ...vendor } = answer.body
  return vendor
}

function settings(id: string, holds: (body: TestAnswer) => boolean) {
  return plumbline.until(`/api/ext/webhooks/${id}`, ({ body }) => holds(body))
}
// biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came over the wire, whatever that is.
type TestAnswer = any

async function deliveries(id: string, query = ''): Promise<TestAnswer[]> {
  return (await plumbline.get(`/api/ext/webhooks/${id}/deliveries${query}`)).body.data
}

describe('a subscription', () => {
  test('the secret of a webhook subscription is shown only once', async () => {
    const created = await subscribe()
    expect(created.secret).toBe(SECRET)
    expect(created).toMatchObject({ status: 'active', consecutiveFailures: 0, disabledReason: null, version: 1 })
    const { body } = await plumbline.get(`/api/ext/webhooks/${created.id}`)
    expect(body).not.toHaveProperty('secret')
    const rows = await plumbline.database.statements
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', created.id)
      .execute()
    expect(JSON.stringify(rows)).not.toContain(SECRET.slice(6))
  })

  test('repeating a request with the same Idempotency-Key creates no second webhook subscription', async () => {
    const body = { url: receiver.url, eventTypes: ['*'], secret: 'a secret of my own choice' }
    const headers = { 'idempotency-key': 'the sync of the accounts' }
    const first = await plumbline.post('/api/ext/webhooks', body, { headers })
    const again = await plumbline.post('/api/ext/webhooks', body, { headers })
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const stored = await plumbline.database.statements.selectFrom('idempotencyRecords').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(body.secret)
  })

  test('a webhook subscription gets a generated secret by default', async () => {
    const { secret } = await subscribe({ secret: undefined })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
  })

  test.each([
    ['ftp://example.com/', 'another scheme'],
    ['https://user:pass@example.com/', 'user info'],
    ['not an address', 'not a URL'],
  ])('a webhook subscription with the URL %s is rejected: %s', async (url) => {
    const answer = await plumbline.post('/api/ext/webhooks', { url, eventTypes: ['*'] })
    expect(answer.status).toBe(422)
    expect(answer.body.errors[0].pointer).toBe('/url')
  })

  test.each([['tooshort'], ['whsec_not-base64!!!!!!'], ['x'.repeat(129)]])(
    'a webhook subscription with the secret %s is rejected',
    async (secret) => {
      const answer = await plumbline.post('/api/ext/webhooks', { url: receiver.url, eventTypes: ['*'], secret })
      expect(answer.status).toBe(422)
    },
  )

  test("a builder cannot see another builder's webhook subscriptions or deliveries", async () => {
    const webhook = await subscribe()
    await createVendor()
    await receiver.until(1)
    const [delivery] = await deliveries(webhook.id)
    const { key } = await plumbline.newBuilder()
    for (const path of [`webhooks/${webhook.id}`, `webhooks/${webhook.id}/deliveries`, `deliveries/${delivery.id}`]) {
      expect((await plumbline.get(`/api/ext/${path}`, { key })).status).toBe(404)
    }
    expect((await plumbline.post(`/api/ext/deliveries/${delivery.id}/redeliver`, undefined, { key })).status).toBe(404)
  })

  test('a deleted webhook subscription receives no more events', async () => {
    const webhook = await subscribe()
    expect((await plumbline.delete(`/api/ext/webhooks/${webhook.id}`)).status).toBe(204)
    expect((await plumbline.delete(`/api/ext/webhooks/${webhook.id}`)).status).toBe(204)
    const { body } = await plumbline.get(`/api/ext/webhooks/${webhook.id}`)
    expect(body.archivedAt).not.toBeNull()
    const other = await subscribe()
    await createVendor()
    await receiver.until(1)
    expect(await deliveries(webhook.id)).toEqual([])
    expect(await deliveries(other.id)).toHaveLength(1)
    const row = await plumbline.database.statements
      .selectFrom('webhooks')
      .select('secret')
      .where('id', '=', webhook.id)
      .executeTakeFirst()
    expect(row?.secret).toBeNull()
    expect((await plumbline.patch(`/api/ext/webhooks/${webhook.id}`, { status: 'active' })).status).toBe(409)
  })

  test('updating a webhook subscription with a stale ETag is rejected', async () => {
    const webhook = await subscribe()
    await plumbline.patch(`/api/ext/webhooks/${webhook.id}`, { eventTypes: ['*'] })
    const late = await plumbline.patch(
      `/api/ext/webhooks/${webhook.id}`,
      { eventTypes: ['bid.submitted'] },
      { headers: { 'if-match': '"1"' } },
    )
    expect(late.status).toBe(412)
  })
})

describe('several subscriptions', () => {
  const create = (more: object = {}) =>
    plumbline.post('/api/ext/webhooks', { url: receiver.url, eventTypes: ['vendor.created'], ...more })
  const change = (id: string, changes: object) => plumbline.patch(`/api/ext/webhooks/${id}`, changes)

  test('unless allowDuplicate is set, a URL gets each event from only one webhook subscription', async () => {
    const { id } = await subscribe({ eventTypes: ['vendor.created', 'bid.submitted'] })
    const { origin } = new URL(receiver.url)
    for (const twin of [
      { eventTypes: ['vendor.created'] },
      { eventTypes: ['home.created', 'bid.submitted'] },
      { eventTypes: ['*'] },
      { url: `${origin.toUpperCase()}/./hooks` },
    ]) {
      const { status, body } = await create(twin)
      expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([409, 'conflict', '/url'])
      expect(body.detail).toContain(id)
    }
    expect((await create({ eventTypes: ['home.created'] })).status).toBe(201)
    expect((await create({ url: `${receiver.url}/other` })).status).toBe(201)
    expect((await create({ allowDuplicate: true })).status).toBe(201)
    await createVendor()
    await receiver.until(3)
  })

  test('an update cannot make two active webhook subscriptions duplicates', async () => {
    const first = await subscribe()
    const other = await subscribe({ url: `${receiver.url}/other` })
    expect((await change(other.id, { url: receiver.url })).status).toBe(409)
    expect((await change(other.id, { url: receiver.url, allowDuplicate: true })).status).toBe(200)
    // A change that does not affect the events or the URL is allowed, even if there is already a duplicate.
    expect((await change(other.id, { excludeOwnChanges: true })).status).toBe(200)
    expect((await change(other.id, { eventTypes: ['*'] })).status).toBe(409)
    await change(first.id, { status: 'disabled' })
    expect((await change(other.id, { eventTypes: ['*'] })).status).toBe(200)
    expect((await change(first.id, { status: 'active' })).status).toBe(409)
    await change(other.id, { eventTypes: ['bid.submitted'] })
    expect((await change(first.id, { status: 'active' })).status).toBe(200)
  })

  test('a builder can have at most 50 active webhook subscriptions and 200 in total', async () => {
    const numbered = (i: number) => create({ url: `${receiver.url}?${i}` })
    const created: string[] = []
    for (let i = 0; i < 45; i++) created.push((await numbered(i)).body.id)
    // The requests are concurrent, so that each of them could create one of the last allowed subscriptions.
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => numbered(45 + i)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(409)])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body.detail).toContain('at most 50 active subscriptions')
    await change(created[0] ?? '', { status: 'disabled' })
    expect((await numbered(55)).status).toBe(201)
    expect(await change(created[0] ?? '', { status: 'active' })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    })
    // A change of a subscription that is already active is still allowed.
    expect((await change(created[1] ?? '', { eventTypes: ['bid.submitted'] })).status).toBe(200)
    const { organizationId, database } = plumbline
    const fields = sql.raw(
      '"organizationId", "url", "eventTypes", "excludeOwnChanges", "version", "createdBy", "owner", "createdAt", "updatedAt"',
    )
    await sql`insert into "webhooks" ("id", "status", "disabledReason", ${fields})
      select 'whk_' || n, 'disabled', 'requested', ${fields} from "webhooks", generate_series(1, 149) n
      where "organizationId" = ${organizationId} and "id" = ${created[0]}`.execute(database.statements)
    await plumbline.delete(`/api/ext/webhooks/${created[1]}`)
    expect((await numbered(56)).status).toBe(201)
    await plumbline.delete(`/api/ext/webhooks/${created[2]}`)
    await change(created[3] ?? '', { status: 'disabled' })
    expect((await numbered(57)).status).toBe(201)
    await change(created[4] ?? '', { status: 'disabled' })
    const last = await numbered(58)
    expect([last.status, last.body.detail]).toEqual([409, expect.stringContaining('at most 200 subscriptions')])
  })
})

describe('an event', () => {
  test('an event is sent to the receiver with a valid signature', async () => {
    const webhook = await subscribe()
    const vendor = await createVendor()
    const [request] = await receiver.until(1)
    if (request === undefined) throw new Error('nothing came')
    expect(request.method).toBe('POST')
    expect(request.headers['content-type']).toBe('application/json')
    expect(request.headers['x-webhook-signature']).toBe(request.headers['webhook-signature'])
    expect(request.headers['webhook-id']).toBe(request.event.id)
    expect(new Webhook(SECRET).verify(request.body, request.headers as Record<string, string>)).toEqual(request.event)
    expect(request.event).toMatchObject({
      type: 'vendor.created',
      organizationId: plumbline.organizationId,
      actor: { type: 'key' },
      data: { object: vendor, previous: null },
    })
    const { body } = await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries`,
      (answer) => answer.body.data[0]?.status === 'succeeded',
    )
    expect(body.data[0]).toMatchObject({
      eventId: request.event.id,
      eventType: 'vendor.created',
      attemptCount: 1,
      responseStatus: 204,
      error: null,
    })
    const one = await plumbline.get(`/api/ext/deliveries/${body.data[0].id}`)
    expect(one.body.attempts).toMatchObject([{ outcome: 'succeeded', responseStatus: 204, url: receiver.url }])
    expect(await listEventsAbout(plumbline, vendor.id)).toEqual([request.event])
  })

  test('an event is sent only to webhook subscriptions to its type', async () => {
    const wanting = await subscribe({ eventTypes: ['vendor.created', 'bid.submitted'] })
    const everything = await subscribe({ url: `${receiver.url}?everything`, eventTypes: ['*'] })
    const other = await subscribe({ url: `${receiver.url}?other`, eventTypes: ['bid.submitted'] })
    await createVendor()
    await receiver.until(2)
    expect(await deliveries(wanting.id)).toHaveLength(1)
    expect(await deliveries(everything.id)).toHaveLength(1)
    expect(await deliveries(other.id)).toHaveLength(0)
  })

  test('a webhook subscription with excludeOwnChanges does not receive events caused by its own key', async () => {
    const webhook = await subscribe({ excludeOwnChanges: true })
    await createVendor()
    const vendor = await createVendor({ key: await plumbline.newKey(['vendors:write']) })
    const [request] = await receiver.until(1)
    expect(request?.event.data.object.id).toBe(vendor.id)
    expect(await deliveries(webhook.id)).toHaveLength(1)
  })

  test('webhook events are sent in commit order', async () => {
    const webhook = await subscribe()
    const created: string[] = []
    for (let i = 0; i < 30; i++) created.push((await createVendor()).id)
    const came = await receiver.until(30)
    const { body } = await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries?limit=100&status=succeeded`,
      (answer) => answer.body.data.length === 30,
    )
    const startOf = new Map(body.data.map((one: TestAnswer) => [one.eventId, one.lastAttemptAt]))
    const eventOf = new Map(came.map(({ event }) => [event.data.object.id, event.id]))
    const starts = created.map((id) => startOf.get(eventOf.get(id)))
    // Compare the order of the starts instead of the arrivals, because a request on an open connection can overtake one
    // that needs a new connection.
    expect(starts).toEqual(starts.toSorted())
    expect(starts).not.toContain(undefined)
  })

  test('after a failed delivery, the event is sent again with the same ID and bytes', async () => {
    const webhook = await subscribe()
    let left = 2
    receiver.answer((_request, response) => void response.writeHead(left-- > 0 ? 500 : 200).end('not now'))
    await createVendor()
    await receiver.until(1)
    const failed = await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries`,
      ({ body }) => body.data[0]?.attemptCount === 1,
    )
    const [delivery] = failed.body.data
    expect(delivery).toMatchObject({
      status: 'pending',
      responseStatus: 500,
      error: 'The receiver responded with status 500.',
    })
    const waitMs = Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.lastAttemptAt)
    expect(waitMs).toBeGreaterThanOrEqual(4000)
    expect(waitMs).toBeLessThanOrEqual(6000)
    plumbline.clock.advance(6000)
    await receiver.until(2)
    await plumbline.until(`/api/ext/deliveries/${delivery.id}`, ({ body }) => body.attemptCount === 2)
    plumbline.clock.advance(361_000)
    const came = await receiver.until(3)
    expect(new Set(came.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(came.map(({ body }) => body)).size).toBe(1)
    const { body } = await plumbline.until(
      `/api/ext/deliveries/${delivery.id}`,
      (answer) => answer.body.status === 'succeeded',
    )
    expect(body.attempts.map((attempt: TestAnswer) => attempt.outcome)).toEqual(['rejected', 'rejected', 'succeeded'])
    // The receiver is in a private network, so its responses are not stored.
    expect(body.attempts[0]).toMatchObject({ responseStatus: 500, responseBody: null })
    expect((await settings(webhook.id, ({ consecutiveFailures }) => consecutiveFailures === 0)).status).toBe(200)
  })

  test('after the last attempt, an event is sent again only on request', async () => {
    const webhook = await subscribe()
    receiver.answer((_request, response) => void response.writeHead(503).end())
    await createVendor()
    for (let attempt = 1; attempt <= 3; attempt++) {
      await receiver.until(attempt)
      await plumbline.until(
        `/api/ext/webhooks/${webhook.id}/deliveries`,
        ({ body }) => body.data[0]?.attemptCount === attempt,
      )
      plumbline.clock.advance(400_000)
    }
    const [delivery] = await deliveries(webhook.id, '?status=exhausted')
    expect(delivery).toMatchObject({ status: 'exhausted', attemptCount: 3, nextAttemptAt: null })
    receiver.answer((_request, response) => void response.writeHead(200).end())
    const again = await plumbline.post(`/api/ext/deliveries/${delivery.id}/redeliver`)
    expect(again.status).toBe(202)
    await plumbline.until(`/api/ext/deliveries/${delivery.id}`, ({ body }) => body.status === 'succeeded')
    expect(receiver.received).toHaveLength(4)
  })

  test('the next attempt to send an event waits for the time in Retry-After', async () => {
    const webhook = await subscribe()
    receiver.answer((_request, response) => void response.writeHead(429, { 'retry-after': '90' }).end())
    await createVendor()
    const { body } = await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries`,
      (answer) => answer.body.data[0]?.attemptCount === 1,
    )
    const waitMs = Date.parse(body.data[0].nextAttemptAt) - Date.parse(body.data[0].lastAttemptAt)
    expect(waitMs).toBeGreaterThanOrEqual(90_000)
    expect(waitMs).toBeLessThan(92_000)
  })

  test('an attempt to send an event fails if the receiver redirects it', async () => {
    const webhook = await subscribe()
    receiver.answer(
      (_request, response) => void response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end(),
    )
    await createVendor()
    const { body } = await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries`,
      (answer) => answer.body.data[0]?.attemptCount === 1,
    )
    expect(body.data[0]).toMatchObject({ status: 'pending', responseStatus: 302 })
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hooks'])
  })

  test('an attempt to send an event is recorded as unreachable if the receiver does not accept connections', async () => {
    const gone = await startReceiver()
    await gone.close()
    const webhook = await subscribe({ url: gone.url })
    await createVendor()
    const { body } = await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries`,
      (answer) => answer.body.data[0]?.attemptCount === 1,
    )
    const one = await plumbline.get(`/api/ext/deliveries/${body.data[0].id}`)
    expect(one.body.attempts).toMatchObject([{ outcome: 'unreachable', responseStatus: null }])
    expect(one.body.error).toContain('ECONNREFUSED')
  })

  test('an attempt to send an event times out if the response does not begin within ten seconds', async () => {
    const webhook = await subscribe()
    receiver.answer(() => {})
    await createVendor()
    await receiver.until(1)
    const { body } = await plumbline
      .until(`/api/ext/webhooks/${webhook.id}/deliveries`, (answer) => answer.body.data[0]?.attemptCount === 1)
      .catch(() =>
        plumbline.until(
          `/api/ext/webhooks/${webhook.id}/deliveries`,
          (answer) => answer.body.data[0]?.attemptCount === 1,
        ),
      )
    const one = await plumbline.get(`/api/ext/deliveries/${body.data[0].id}`)
    expect(one.body.attempts[0].outcome).toBe('timed_out')
    expect(one.body.attempts[0].durationMs).toBeGreaterThanOrEqual(9_990)
    expect(one.body.attempts[0].durationMs).toBeLessThan(10_500)
  })

  test('a long response to a failed attempt does not change the recorded outcome', async () => {
    const webhook = await subscribe()
    receiver.answer((_request, response) => void response.writeHead(500).end('x'.repeat(3_000_000)))
    await createVendor()
    const { body } = await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries`,
      (answer) => answer.body.data[0]?.attemptCount === 1,
    )
    const one = await plumbline.get(`/api/ext/deliveries/${body.data[0].id}`)
    expect(one.body.attempts).toMatchObject([{ outcome: 'rejected', responseStatus: 500, responseBody: null }])
  })
})

describe('a failing receiver', () => {
  test('after five failures, a receiver gets one attempt at a time', async () => {
    const webhook = await subscribe()
    receiver.answer((_request, response) => void response.writeHead(500).end())
    for (let i = 0; i < 5; i++) await createVendor()
    const first = await settings(webhook.id, ({ consecutiveFailures }) => consecutiveFailures === 5)
    const pauseMs = Date.parse(first.body.pausedUntil) - Date.parse(first.body.updatedAt)
    expect(pauseMs).toBe(5000)
    // Ten more deliveries become due, and one of them is the probe.
    for (let i = 0; i < 10; i++) await createVendor()
    plumbline.clock.advance(7000)
    const second = await settings(webhook.id, ({ consecutiveFailures }) => consecutiveFailures > 5)
    expect(second.body.consecutiveFailures).toBe(6)
    expect(Date.parse(second.body.pausedUntil) - Date.parse(second.body.updatedAt)).toBe(10_000)
    expect(receiver.received).toHaveLength(6)
    receiver.answer((_request, response) => void response.writeHead(200).end())
    plumbline.clock.advance(11_000)
    await receiver.until((all) => new Set(all.map(({ headers }) => headers['webhook-id'])).size === 15)
    await settings(
      webhook.id,
      ({ consecutiveFailures, pausedUntil }) => consecutiveFailures === 0 && pausedUntil === null,
    )
  })

  test('disabling a failing subscription sends one notice to the owners and admins', async () => {
    const webhook = await subscribe({ eventTypes: ['vendor.created'] })
    const witness = await startReceiver()
    const other = await subscribe({ url: witness.url, eventTypes: ['message.sent'] })
    receiver.answer((_request, response) => void response.writeHead(410).end())
    for (let i = 0; i < 3; i++) await createVendor()
    const [request] = await witness.until(1)
    const { body } = await plumbline.get(`/api/ext/messages?relatedToId=${webhook.id}`)
    expect(body.data).toEqual([request?.event.data.object])
    expect(request?.event).toMatchObject({ type: 'message.sent', actor: { type: 'system', id: null } })
    const [message] = body.data
    const { disabledAt } = (await plumbline.get(`/api/ext/webhooks/${webhook.id}`)).body
    expect(message).toMatchObject({ sender: { type: 'system' }, relatedTo: { type: 'webhook', id: webhook.id } })
    expect(message.recipients).toHaveLength(1)
    for (const part of [receiver.url, webhook.id, '410', disabledAt, 'active', 'recover', '14 days'])
      expect(message.body).toContain(part)
    await plumbline.delete(`/api/ext/webhooks/${other.id}`)
    await witness.close()
  })

  test('no notice is sent if a user disables a webhook subscription', async () => {
    const webhook = await subscribe()
    await plumbline.patch(`/api/ext/webhooks/${webhook.id}`, { status: 'disabled' })
    expect((await plumbline.get(`/api/ext/messages?relatedToId=${webhook.id}`)).body.data).toEqual([])
  })

  test('a response with status 410 from the receiver disables the webhook subscription immediately', async () => {
    const webhook = await subscribe()
    receiver.answer((_request, response) => void response.writeHead(410).end())
    await createVendor()
    const { body } = await settings(webhook.id, ({ status }) => status === 'disabled')
    expect(body).toMatchObject({ disabledReason: 'gone', consecutiveFailures: 1 })
    expect(body.disabledAt).not.toBeNull()
    const held = await createVendor()
    await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries?status=held`,
      (answer) => answer.body.data.length === 2,
    )
    expect(receiver.received).toHaveLength(1)
    expect(
      (await plumbline.post(`/api/ext/webhooks/${webhook.id}/recover`, { since: '2020-01-01T00:00:00Z' })).status,
    ).toBe(409)
    receiver.answer((_request, response) => void response.writeHead(200).end())
    const active = await plumbline.patch(`/api/ext/webhooks/${webhook.id}`, { status: 'active' })
    expect(active.body).toMatchObject({
      status: 'active',
      disabledReason: null,
      disabledAt: null,
      consecutiveFailures: 0,
    })
    await receiver.until((all) => all.some(({ event }) => event.data.object.id === held.id))
  })
})

test('a webhook delivery that a user requests is sent immediately, without waiting for the next check', async () => {
  const webhook = await subscribe()
  await createVendor()
  await receiver.until(1)
  const { body } = await plumbline.until(
    `/api/ext/webhooks/${webhook.id}/deliveries?status=succeeded`,
    (answer) => answer.body.data.length === 1,
  )
  const started = performance.now()
  for (let round = 0; round < 4; round++) {
    const before = receiver.received.length
    // Without this wait, each of the twelve deliveries would wait for the next check, which would take several seconds.
    await plumbline.until(`/api/ext/deliveries/${body.data[0].id}`, ({ body: one }) => one.status === 'succeeded')
    await plumbline.post(`/api/ext/deliveries/${body.data[0].id}/redeliver`, undefined, {
      headers: { 'idempotency-key': `again ${round}` },
    })
    await receiver.until(before + 1)
    await plumbline.post(`/api/ext/webhooks/${webhook.id}/test`, { eventType: 'vendor.created' })
    await receiver.until(before + 2)
    await plumbline.patch(`/api/ext/webhooks/${webhook.id}`, { status: 'disabled' })
    await createVendor()
    await plumbline.until(
      `/api/ext/webhooks/${webhook.id}/deliveries?status=held`,
      (answer) => answer.body.data.length === 1,
    )
    await plumbline.patch(`/api/ext/webhooks/${webhook.id}`, { status: 'active' })
    await receiver.until(before + 3)
  }
  expect(performance.now() - started).toBeLessThan(4000)
})

test('recoverWebhook sends the events that the receiver missed during an outage', async () => {
  const webhook = await subscribe()
  receiver.answer((_request, response) => void response.writeHead(500).end())
  const since = plumbline.clock.now().toISOString()
  for (let i = 0; i < 3; i++) await createVendor()
  await settings(webhook.id, ({ consecutiveFailures }) => consecutiveFailures === 3)
  receiver.answer((_request, response) => void response.writeHead(200).end())
  const answer = await plumbline.post(`/api/ext/webhooks/${webhook.id}/recover`, { since })
  expect(answer.status).toBe(202)
  expect(answer.body).toMatchObject({ queued: 3, more: false })
  await plumbline.until(
    `/api/ext/webhooks/${webhook.id}/deliveries?status=succeeded`,
    ({ body }) => body.data.length === 3,
  )
  const backwards = await plumbline.post(`/api/ext/webhooks/${webhook.id}/recover`, { since, until: since })
  expect(backwards.status).toBe(422)
})

test('a test event is sent once, even if the subscription is disabled', async () => {
  const webhook = await subscribe()
  await plumbline.patch(`/api/ext/webhooks/${webhook.id}`, { status: 'disabled' })
  receiver.answer((_request, response) => void response.writeHead(500).end())
  const answer = await plumbline.post(`/api/ext/webhooks/${webhook.id}/test`, { eventType: 'bid.submitted' })
  expect(answer.status).toBe(202)
  expect(answer.body).toMatchObject({ test: true, status: 'pending', eventType: 'bid.submitted' })
  const [request] = await receiver.until(1)
  expect(request?.headers['webhook-test']).toBe('true')
  expect(request?.event).toMatchObject({
    id: answer.body.eventId,
    type: 'bid.submitted',
    organizationId: plumbline.organizationId,
  })
  await plumbline.until(`/api/ext/deliveries/${answer.body.id}`, ({ body }) => body.status === 'exhausted')
  expect((await plumbline.get(`/api/ext/webhooks/${webhook.id}`)).body.consecutiveFailures).toBe(0)
  expect((await plumbline.get(`/api/ext/events/${answer.body.eventId}`)).status).toBe(404)
})

test('during a secret rotation, both secrets of a webhook subscription verify a signature', async () => {
  const webhook = await subscribe()
  const rotated = await plumbline.post(`/api/ext/webhooks/${webhook.id}/rotate-secret`, {})
  expect(rotated.status).toBe(200)
  expect(rotated.body.secret).not.toBe(SECRET)
  await createVendor()
  const [during] = await receiver.until(1)
  for (const secret of [SECRET, rotated.body.secret]) expect(isSignedWith(secret, during)).toBe(true)
  expect(isSignedWith('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', during)).toBe(false)
  plumbline.clock.advance(24 * 3_600_000 + 1000)
  await createVendor()
  const [, after] = await receiver.until(2)
  expect(isSignedWith(SECRET, after)).toBe(false)
  expect(isSignedWith(rotated.body.secret, after)).toBe(true)
  expect((await plumbline.get(`/api/ext/webhooks/${webhook.id}`)).body.previousSecretExpiresAt).toBeNull()
})

test('rotating a webhook secret without an overlap revokes the old secret immediately', async () => {
  const webhook = await subscribe()
  await plumbline.post(`/api/ext/webhooks/${webhook.id}/rotate-secret`, {
    overlapHours: 0,
    secret: 'a secret of my own choice',
  })
  await createVendor()
  const [request] = await receiver.until(1)
  expect(isSignedWith('a secret of my own choice', request)).toBe(true)
  expect(isSignedWith(SECRET, request)).toBe(false)
})

/**
 * Returns whether the request was signed with the secret. Does not use the verification function of the package,
 * because it uses the clock of the machine, and these tests advance the clock of the service.
 */
function isSignedWith(secret: string, request: ReceivedRequest | undefined): boolean {
  if (request === undefined) throw new Error('Nothing came in.')
  const headers = request.headers as Record<string, string>
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signer = new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' })
  const signature = signer.sign(headers['webhook-id'] ?? '', at, request.body)
  return headers['webhook-signature']?.split(' ').includes(signature) === true
}
