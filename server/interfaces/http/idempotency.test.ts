import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { RequestOptions } from '../../../scripts/conformance/service.ts'
import { contract } from '../../../scripts/conformance/walked-contract.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { assertSecretsConcealed } from '../../platform/calls/repeated-response.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { repeats } from '../operations.ts'
import { deleteOldResponses } from './delete-old-responses.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const headers = { 'idempotency-key': 'attempt-1' }

interface Kept {
  key: string
  body: string | null
}

/** Returns a builder's stored responses with their decrypted content. */
async function getKept(organizationId: string): Promise<(Kept & { opened: string | null })[]> {
  const { rows } = await sql<Kept>`
    select "key", "body" from "idempotencyRecords" where "organizationId" = ${organizationId}`.execute(
    plumbline.database.statements,
  )
  const { open } = createVault(plumbline.config.encryptionKey)
  return rows.map(({ key, body }) => ({
    key,
    body,
    opened: body === null ? null : open(body, `answer ${organizationId} ${key}`),
  }))
}

test('two keys with the same Idempotency-Key do not share a stored response', async () => {
  const subscription = { url: 'https://hooks.example.com/plumbline', eventTypes: ['*'], allowDuplicate: true }
  const [first, second] = [await plumbline.newKey(['webhooks:write']), await plumbline.newKey(['webhooks:write'])]
  const created = await plumbline.post('/api/ext/webhooks', subscription, { key: first, headers })
  const other = await plumbline.post('/api/ext/webhooks', subscription, { key: second, headers })
  const again = await plumbline.post('/api/ext/webhooks', subscription, { key: first, headers })
  expect([created.status, other.status, again.status]).toEqual([201, 201, 201])
  expect(other.body.secret).not.toBe(created.body.secret)
  expect(other.headers.get('idempotent-replayed')).toBeNull()
  expect(again.body).toEqual(created.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('a request without a body that is repeated with the same Idempotency-Key is performed once', async () => {
  const { id } = (await plumbline.post('/api/ext/vendors', { companyName: 'Once Only LLC', email: 'a@example.com' }))
    .body
  const invite = () =>
    plumbline.post(`/api/ext/vendors/${id}/invite`, undefined, { headers: { 'idempotency-key': id } })
  const [first, again] = [await invite(), await invite()]
  expect([first.status, again.status, again.body.version]).toEqual([200, 200, first.body.version])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('two vendors with the same Idempotency-Key do not share a stored response', async () => {
  const open = (key: string) => plumbline.post('/api/portal/visits', {}, { key, headers })
  const [one, other] = [await plumbline.newPortalToken(), await plumbline.newPortalToken()]
  const responses = [await open(one), await open(other), await open(one)]
  const ids = responses.map(({ body }) => body.vendor.id)
  expect(ids).toEqual([one, other, one].map((token) => token.split('.')[0]))
})

describe('a request that only reads', () => {
  test('the response of a read request is not stored, even if the request has an Idempotency-Key', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing', scopes: ['framing'] }, { key })
    for (const [attempt, skill] of ['listVendors', 'suggestVendorsForScope', 'getOpenApiJson'].entries()) {
      const input = skill === 'suggestVendorsForScope' ? { scope: 'framing' } : {}
      const options = { key, headers: { 'idempotency-key': `read-${attempt}` } }
      const responses = [0, 1].map(() => plumbline.post('/api/ext/execute', { skill, input }, options))
      for (const { status, headers } of await Promise.all(responses))
        expect([skill, status, headers.get('idempotent-replayed')]).toEqual([skill, 200, null])
    }
    expect(await getKept(organizationId)).toEqual([])
  })

  // The embedded database has only one connection, so a request would wait for any open transaction.
  test.skipIf(inject('postgres') === null)(
    'a read request with an Idempotency-Key needs no connection for transactions',
    async () => {
      const narrow = await startTestPlumbline({ DATABASE_CONNECTIONS: '11' })
      await narrow.post('/api/ext/scopes', { name: 'framing' })
      await narrow.database.transaction(async (trx) => {
        await sql`select 1`.execute(trx)
        const body = { skill: 'suggestVendorsForScope', input: { scope: 'framing' } }
        const read = await narrow.post('/api/ext/execute', body, { headers })
        expect(read.status).toBe(200)
      })
      await narrow.stop()
    },
  )
})

describe('a response that is too large to store', () => {
  // Returns a random text, which cannot be compressed.
  const noise = (characters: number) => randomBytes(characters).toString('base64').slice(0, characters)
  const lines = () => Array.from({ length: 200 }, () => ({ description: noise(490), quantity: 1, unit: 'ls' }))

  async function draft(
    key: string,
    attempt: string,
    form: { lines: object[] },
    communityId: string,
  ): Promise<ServiceResponse> {
    const body = { vendorIds: [], scope: 'framing', deadline: '2099-12-04', communityId, sendNow: false, ...form }
    return plumbline.post('/api/ext/bids/request', body, { key, headers: { 'idempotency-key': attempt } })
  }

  test('if a response is too large to store, a repeat reads the record again', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' }, { key })
    const form = { lines: lines() }
    const first = await draft(key, 'large', form, community.id)
    expect([first.status, first.body.code]).toEqual([201, undefined])
    const [stored] = await getKept(organizationId)
    expect(stored?.body).toBeNull()
    const again = await draft(key, 'large', form, community.id)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(again.body).toEqual(first.body)
    await plumbline.patch(`/api/ext/bids/requests/${first.body.id}`, { title: 'Framing, east' }, { key })
    const later = await draft(key, 'large', form, community.id)
    expect(later.body).toMatchObject({ id: first.body.id, title: 'Framing, east' })
    expect(later.headers.get('etag')).not.toBe(first.headers.get('etag'))
    const { data } = (await plumbline.get('/api/ext/bids/requests?limit=5', { key })).body
    expect(data).toHaveLength(1)
  })

  test('if a response is too large to store, a repeat requires the permission to read the record', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' }, { key })
    const writer = await plumbline.newKey(['bids:write'], organizationId)
    const form = { lines: lines() }
    expect((await draft(writer, 'large', form, community.id)).status).toBe(201)
    const again = await draft(writer, 'large', form, community.id)
    expect([again.status, again.body.code, again.body.permission]).toEqual([403, 'permission_denied', 'bids:read'])
  })

  test('if a large response contains no record, a repeat is rejected', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' }, { key })
    const form = { vendorIds: [], scope: 'framing', deadline: '2099-12-04', communityId: community.id, sendNow: false }
    const body = { skill: 'createBidRequest', input: { ...form, lines: lines() } }
    const execute = () => plumbline.post('/api/ext/execute', body, { key, headers })
    expect((await execute()).status).toBe(200)
    const again = await execute()
    expect([again.status, again.body.code]).toEqual([409, 'answer_not_kept'])
    const { data } = (await plumbline.get('/api/ext/bids/requests?limit=5', { key })).body
    expect(data).toHaveLength(1)
    const stored = await getKept(organizationId)
    expect(stored.every(({ body }) => body === null || body.length <= 64 * 1024)).toBe(true)
  })

  test('a large response is stored if its compressed size is small enough', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' }, { key })
    const form = { vendorIds: [], scope: 'framing', deadline: '2099-12-04', communityId: community.id, sendNow: false }
    const plain = Array.from({ length: 200 }, (_, i) => ({
      description: `Wall ${i}: ${'studs, plates and headers; '.repeat(18)}`,
      quantity: 1,
      unit: 'ls',
    }))
    const body = { skill: 'createBidRequest', input: { ...form, lines: plain } }
    const [first, again] = [
      await plumbline.post('/api/ext/execute', body, { key, headers }),
      await plumbline.post('/api/ext/execute', body, { key, headers }),
    ]
    expect(JSON.stringify(first.body).length).toBeGreaterThan(150_000)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const [stored] = await getKept(organizationId)
    expect(stored?.body?.length).toBeLessThan(64 * 1024)
  })
})

describe('a secret', () => {
  const url = 'https://hooks.example.com/plumbline'

  test('a stored response contains no secret', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    const send = (path: string, body: object, attempt: string) =>
      plumbline.post(path, body, { key, headers: { 'idempotency-key': attempt } })
    const create = () => send('/api/ext/webhooks', { url, eventTypes: ['bid.submitted'] }, 'create')
    const created = await create()
    const { id, secret } = created.body
    expect((await create()).body).toEqual(created.body)

    const rotate = () => send(`/api/ext/webhooks/${id}/rotate-secret`, {}, 'rotate')
    const rotated = await rotate()
    expect(rotated.body.secret).not.toBe(secret)
    expect((await rotate()).body).toEqual(rotated.body)
    expect((await create()).body.secret).toBe(rotated.body.secret)

    const skill = { skill: 'createWebhook', input: { url, eventTypes: ['bid.accepted'] } }
    const execute = () => send('/api/ext/execute', skill, 'execute')
    const executed = await execute()
    expect((await execute()).body).toEqual(executed.body)

    const stored = await getKept(organizationId)
    expect(stored).toHaveLength(3)
    for (const each of [secret, rotated.body.secret, executed.body.result.secret]) {
      expect(each).toMatch(/^whsec_/)
      expect(stored.map(({ opened }) => opened).join()).not.toContain(each)
    }
  })

  test('the service does not start if a one-time secret could be stored with a response', () => {
    for (const left of ['createWebhook', 'rotateWebhookSecret']) {
      const others = Object.fromEntries(Object.entries(repeats).filter(([id]) => id !== left))
      expect(() => assertSecretsConcealed(contract, others)).toThrow(
        new RegExp(`^Expected ${left} to keep its one-time secret`),
      )
    }
    expect(() => assertSecretsConcealed(contract, repeats)).not.toThrow()
  })

  test('a repeat does not return the secret of a deleted webhook subscription', async () => {
    const { key } = await plumbline.newBuilder()
    const create = () => plumbline.post('/api/ext/webhooks', { url, eventTypes: ['bid.submitted'] }, { key, headers })
    const { body } = await create()
    await plumbline.delete(`/api/ext/webhooks/${body.id}`, { key })
    const again = await create()
    expect([again.status, again.body.code]).toEqual([409, 'answer_not_kept'])
  })
})

test('a key that can no longer run a skill does not get the stored response of the skill', async () => {
  const { key, organizationId, userId } = await plumbline.newBuilder()
  const body = { skill: 'createVendor', input: { companyName: 'Brazos Framing' } }
  const execute = () => plumbline.post('/api/ext/execute', body, { key, headers })
  expect((await execute()).status).toBe(200)
  await plumbline.database.statements
    .updateTable('users')
    .set({ status: 'disabled' })
    .where('organizationId', '=', organizationId)
    .where('id', '=', userId)
    .execute()
  plumbline.clock.advance(1000)
  expect((await execute()).body.code).toBe('permission_denied')
})

test('concurrent repeats of a request get the response of the first request or idempotency_in_progress', async () => {
  const { key } = await plumbline.newBuilder()
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Cedar Hollow' }, { key })
  const move = () =>
    plumbline.post(`/api/ext/communities/${community.id}/status`, { status: 'active' }, { key, headers })
  const responses = await Promise.all(Array.from({ length: 10 }, move))
  for (const { status, body } of responses)
    expect(status === 200 ? body.status : body.code).toBe(status === 200 ? 'active' : 'idempotency_in_progress')
})

test('only expired stored responses are deleted, regardless of their number', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  await sql`
    insert into "idempotencyRecords" ("organizationId", "key", "fingerprint", "status", "headers", "body", "createdAt", "expiresAt")
    select ${organizationId}, 'old ' || n, '', 200, '{}', null, ${new Date(plumbline.clock.nowMs() - 25 * 3_600_000)},
      ${new Date(plumbline.clock.nowMs() - 3_600_000)}
    from generate_series(1, 2500) as n`.execute(plumbline.database.statements)
  // Removes the expiry, as in a row that the previous version of the service stored.
  await sql`
    insert into "idempotencyRecords" ("organizationId", "key", "fingerprint", "status", "headers", "body", "createdAt")
    select ${organizationId}, 'earlier ' || n, '', 200, '{}', null,
      ${plumbline.clock.now()}::timestamptz - n * interval '20 hours'
    from generate_series(1, 2) as n`.execute(plumbline.database.statements)
  await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' }, { key, headers })
  await deleteOldResponses(plumbline.database, plumbline.clock)
  const stored = await getKept(organizationId)
  expect(stored.map((each) => each.key.split(' ')[1]).sort()).toEqual(['1', 'attempt-1'])
})

test('a stored response is returned for 7 days to a user and for 24 hours to an API key', async () => {
  const send = async (options: RequestOptions, attempt: string) => {
    const headers = { ...options.headers, 'idempotency-key': attempt }
    const { body } = await plumbline.post('/api/ext/communities', { name: `Site ${attempt}` }, { ...options, headers })
    await deleteOldResponses(plumbline.database, plumbline.clock)
    return body.id
  }
  const key = { key: plumbline.key }
  const [ofUser, ofKey] = [await send(await plumbline.signIn(), 'user'), await send(key, 'key')]
  plumbline.clock.advance(25 * 3_600_000)
  expect(await send(await plumbline.signIn(), 'user')).toBe(ofUser)
  expect(await send(key, 'key')).not.toBe(ofKey)
  plumbline.clock.advance(6 * 24 * 3_600_000)
  expect(await send(await plumbline.signIn(), 'user')).not.toBe(ofUser)
})
