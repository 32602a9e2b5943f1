import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { updateOrganization } from '../../domain/office/organizations/organizations.ts'
import { createUser, updateUser } from '../../domain/office/users/users.ts'
import { createKey, revokeKey, rotateKey } from '../keys/keys.ts'
import { deleteOldAuditEntries } from './delete-old-entries.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  // The requests of the tests come from this machine, which is a trusted proxy, so they can set X-Forwarded-For.
  plumbline = await startTestPlumbline({ TRUSTED_PROXIES: 'loopback' })
})
afterAll(() => plumbline.stop())

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever came over the wire.
type Body = any

const LIST = '/api/ext/audit-entries'

function from(address: string, requestId = 'req_of-the-test') {
  return { headers: { 'x-forwarded-for': address, 'x-request-id': requestId } }
}

/** Waits until there are at least `many` entries of a resource, and returns them, oldest first. */
async function getEntries(resourceId: string, many = 1): Promise<Body[]> {
  const isThere = ({ body }: ServiceResponse) => body.data.length >= many
  return (await plumbline.until(`${LIST}?resourceId=${resourceId}&sort=at`, isThere)).body.data
}

async function newVendor(companyName = 'Brazos Framing'): Promise<string> {
  return (await plumbline.post('/api/ext/vendors', { companyName })).body.id
}

async function keyId(): Promise<string> {
  return (await plumbline.get('/api/ext/me')).body.keyId
}

describe('a change', () => {
  test('the audit trail records the event, key, IP address, and request of a change', async () => {
    const { body: vendor } = await plumbline.post(
      '/api/ext/vendors',
      { companyName: 'Brazos Framing' },
      from('203.0.113.7', 'req_one'),
    )
    await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { phone: '+1 512 555 0100' }, from('203.0.113.8', 'req_two'))
    const entries = await getEntries(vendor.id, 2)
    const actor = { type: 'key', id: await keyId() }
    const common = { actor, resourceType: 'vendor', resourceId: vendor.id, outcome: 'done', reason: null, count: 1 }
    expect(entries).toEqual([
      {
        ...{
          id: expect.stringMatching(/^aud_/),
          at: vendor.createdAt,
          ...common,
          action: 'vendor.created',
          changed: [],
        },
        ...{ eventId: expect.stringMatching(/^evt_/), address: '203.0.113.7', requestId: 'req_one' },
      },
      expect.objectContaining({
        ...{ ...common, action: 'vendor.updated', changed: ['phone'] },
        ...{ address: '203.0.113.8', requestId: 'req_two' },
      }),
    ])
    const event = await plumbline.get(`/api/ext/events/${entries[1].eventId}`)
    expect(event.body.data.previous).toEqual({ phone: null })
  })

  test('a change without an event has its own audit entry', async () => {
    const address = '203.0.113.9'
    const { body: community } = await plumbline.post(
      '/api/ext/communities',
      { name: 'Juniper Ridge', timeZone: 'America/Chicago' },
      from(address, 'req_made'),
    )
    await plumbline.patch(`/api/ext/communities/${community.id}`, { city: 'Georgetown' }, from(address))
    await plumbline.post(`/api/ext/communities/${community.id}/status`, { status: 'active' }, from(address))
    // This request changes nothing, so it has no entry.
    await plumbline.patch(`/api/ext/communities/${community.id}`, { city: 'Georgetown' }, from(address))
    await plumbline.delete(`/api/ext/communities/${community.id}`, from(address))
    const entries = await getEntries(community.id, 4)
    expect(entries.map(({ action, changed }) => [action, changed])).toEqual([
      ['community.created', []],
      ['community.updated', ['city']],
      ['community.updated', ['status']],
      ['community.archived', ['archivedAt']],
    ])
    expect(entries[0]).toMatchObject({ eventId: null, requestId: 'req_made', address })
  })

  test('the audit trail records changes of a webhook, including its secrets and tests', async () => {
    const requested = { url: 'http://127.0.0.1:9/hook', eventTypes: ['vendor.created'] }
    const { body: webhook } = await plumbline.post('/api/ext/webhooks', requested)
    const path = `/api/ext/webhooks/${webhook.id}`
    await plumbline.post(`${path}/rotate-secret`, { overlapHours: 0 })
    const test = await plumbline.post(`${path}/test`, { eventType: 'vendor.created' })
    await plumbline.post(`${path}/recover`, { since: '2026-01-01T00:00:00Z' })
    await plumbline.patch(path, { status: 'disabled' })
    await plumbline.delete(path)
    const actions = (await getEntries(webhook.id, 6)).map(({ action }) => action)
    expect(actions).toEqual([
      ...['webhook.created', 'webhook.secret_rotated', 'webhook.tested', 'webhook.recovered'],
      ...['webhook.updated', 'webhook.archived'],
    ])
    expect(test.status).toBe(202)
  })

  test('the audit trail does not record changes in a dry run', async () => {
    const input = { name: 'Nowhere', timeZone: 'America/Chicago' }
    const tried = await plumbline.post('/api/ext/execute', { skill: 'createCommunity', input, dryRun: true })
    expect(tried.status).toBe(200)
    const id = tried.body.result.id
    expect((await plumbline.get(`${LIST}?resourceId=${id}`)).body.data).toEqual([])
    const done = await plumbline.post('/api/ext/execute', { skill: 'createCommunity', input })
    expect((await getEntries(done.body.result.id)).map(({ action }) => action)).toEqual(['community.created'])
  })

  test('a change that is sent twice with one Idempotency-Key is recorded once in the audit trail', async () => {
    const headers = { 'idempotency-key': 'twice' }
    const body = { name: 'Twice', timeZone: 'America/Chicago' }
    const { body: community } = await plumbline.post('/api/ext/communities', body, { headers })
    await plumbline.post('/api/ext/communities', body, { headers })
    expect(await getEntries(community.id)).toHaveLength(1)
  })
})

describe('actions of operators', () => {
  test('the audit trail attributes actions of operators on keys, users, and settings to the operator', async () => {
    const { database, clock, organizationId } = plumbline
    const operator = { type: 'operator', id: null }
    const key = await createKey(database, clock, { organizationId, name: 'Short' })
    await rotateKey(database, clock, key.id, 0)
    await revokeKey(database, clock, key.id)
    // The second revocation has no entry, because the key is already revoked.
    await revokeKey(database, clock, key.id)
    const reported = await getEntries(key.id, 3)
    expect(reported.map(({ action }) => action)).toEqual(['key.created', 'key.rotated', 'key.revoked'])
    expect(reported[2]).toMatchObject({ actor: operator, resourceType: 'key', address: null, requestId: null })

    const person = { email: 'elena@example.com', name: 'Elena', role: 'estimator', poApprovalLimit: 0 } as const
    const user = await createUser(database, clock, { organizationId, ...person })
    await updateUser(database, clock, user.id, { role: 'viewer' })
    expect((await getEntries(user.id, 2))[1]).toMatchObject({ action: 'user.updated', changed: ['role'] })

    await updateOrganization(database, clock, organizationId, { name: 'Harrow Homes' })
    const settings = await getEntries(organizationId, 2)
    expect(settings.at(-1)).toMatchObject({ action: 'organization.updated', changed: ['name'], actor: operator })
  })
})

describe('a rejected request', () => {
  async function refusedOf(id: string): Promise<Body[]> {
    return (await plumbline.get(`${LIST}?outcome=refused&actorId=${id}&sort=at`)).body.data
  }

  test('rejected requests with a revoked key are recorded once per minute for each IP address', async () => {
    const { database, clock, organizationId } = plumbline
    const { id, secret } = await createKey(database, clock, { organizationId, name: 'Over' })
    await revokeKey(database, clock, id)
    const send = (address: string) => plumbline.get('/api/ext/me', { key: secret, ...from(address) })
    for (let i = 0; i < 5; i++) expect((await send('203.0.113.20')).body.code).toBe('revoked_key')
    expect(await refusedOf(id)).toMatchObject([
      {
        ...{ action: 'authentication.failed', reason: 'revoked_key', count: 1, address: '203.0.113.20' },
        ...{ actor: { type: 'key', id }, resourceType: 'key', resourceId: id },
      },
    ])
    await send('203.0.113.21')
    plumbline.clock.advance(61_000)
    await send('203.0.113.20')
    expect((await refusedOf(id)).map(({ address, count }) => [address, count])).toEqual([
      ['203.0.113.20', 1],
      ['203.0.113.21', 1],
      ['203.0.113.20', 5],
    ])
  })

  test('a request that is rejected because of a missing permission is recorded in the audit trail', async () => {
    const key = await plumbline.newKey(['vendors:read'])
    const { body: caller } = await plumbline.get('/api/ext/me', { key })
    expect((await plumbline.post('/api/ext/vendors', { companyName: 'No' }, { key })).status).toBe(403)
    expect(await refusedOf(caller.keyId)).toMatchObject([
      { action: 'permission.denied', reason: 'permission_denied', outcome: 'refused' },
    ])
  })

  test('requests with unknown keys add no audit entries', async () => {
    const count = async () => {
      const { rows } = await sql<{ many: number }>`select count(*)::int as "many" from "auditEntries"`.execute(
        plumbline.database.statements,
      )
      return rows[0]?.many ?? 0
    }
    plumbline.clock.advance(61_000)
    const before = await count()
    const unknown = `${plumbline.key.slice(0, -1)}${plumbline.key.endsWith('0') ? '1' : '0'}`
    for (const key of [null, 'plb_x', unknown]) expect((await plumbline.get('/api/ext/me', { key })).status).toBe(401)
    expect(await count()).toBe(before)
    const { database, clock, organizationId } = plumbline
    const { id, secret } = await createKey(database, clock, { organizationId, name: 'Leaked' })
    await revokeKey(database, clock, id)
    const ofKey = await count()
    for (let i = 0; i < 70; i++) await plumbline.get('/api/ext/me', { key: secret, ...from(`198.51.100.${i}`) })
    expect((await count()) - ofKey).toBeLessThanOrEqual(60)
  })
})

test('a visit to the vendor portal is recorded once every ten minutes for each client', async () => {
  const token = await plumbline.newPortalToken()
  const vendorId = token.slice(0, token.indexOf('.'))
  const visit = (address: string) => fetch(`${plumbline.url}/portal/${token}`, from(address))
  for (const address of ['203.0.113.30', '203.0.113.30', '203.0.113.31'])
    expect((await visit(address)).status).toBe(200)
  plumbline.clock.advance(11 * 60_000)
  await plumbline.post('/api/portal/visits', {}, { key: token, ...from('203.0.113.30') })
  const visits = (await getEntries(vendorId, 4)).filter(({ action }) => action === 'portal.visited')
  expect(visits.map(({ address }) => address)).toEqual(['203.0.113.30', '203.0.113.31', '203.0.113.30'])
  expect(visits[0]).toMatchObject({ actor: { type: 'vendor', id: vendorId }, resourceType: 'vendor' })
})

describe('the list', () => {
  test('listing audit entries requires events:read', async () => {
    const id = await newVendor()
    await getEntries(id)
    const narrow = await plumbline.newKey(['vendors:read'])
    expect((await plumbline.get(LIST, { key: narrow })).body.permission).toBe('events:read')
    const reading = await plumbline.newKey(['events:read'])
    expect((await plumbline.get(`${LIST}?resourceId=${id}`, { key: reading })).body.data).toHaveLength(1)
  })

  test('the list of audit entries contains no entries of another builder', async () => {
    const id = await newVendor()
    const { key } = await plumbline.newBuilder()
    const theirs = await plumbline.get(LIST, { key })
    expect(theirs.body.data.map(({ action }: Body) => action)).toEqual([
      'key.created',
      'user.created',
      'organization.created',
    ])
    expect((await plumbline.get(`${LIST}?resourceId=${id}`, { key })).body.data).toEqual([])
  })

  test('the audit trail is paginated without gaps across events and audit entries', async () => {
    const { key, organizationId } = await plumbline.newBuilder()
    const created: string[] = []
    for (let i = 0; i < 12; i++) {
      const kind = i % 3 === 0 ? 'communities' : 'vendors'
      const body = kind === 'vendors' ? { companyName: `V${i}` } : { name: `C${i}`, timeZone: 'America/Chicago' }
      created.push((await plumbline.post(`/api/ext/${kind}`, body, { key })).body.id)
    }
    const deadline = Date.now() + 10_000
    while (((await plumbline.get(`${LIST}?limit=200`, { key })).body.data as Body[]).length < 15) {
      if (Date.now() > deadline) throw new Error('Not all of them have their place.')
    }
    for (const [sort, limit] of [
      ['at', 1],
      ['at', 4],
      ['-at', 1],
      ['-at', 5],
      ['-at', 200],
    ] as const) {
      const walked: string[] = []
      let next = ''
      for (;;) {
        const { body } = await plumbline.get(`${LIST}?limit=${limit}&sort=${sort}${next}`, { key })
        walked.push(...body.data.map(({ resourceId }: Body) => resourceId))
        if (body.nextCursor === null) break
        next = `&cursor=${body.nextCursor}`
      }
      const mine = walked.filter((id) => /^(ven|com)_/.test(id))
      expect([sort, limit, mine]).toEqual([sort, limit, sort === 'at' ? created : created.toReversed()])
      expect(walked).toHaveLength(15)
    }
    expect(organizationId).toMatch(/^org_/)
  })

  test('the audit trail can be filtered by action, type, address, time, and ID', async () => {
    const { key } = await plumbline.newBuilder()
    const before = plumbline.clock.now().toISOString()
    plumbline.clock.advance(1000)
    const { body: vendor } = await plumbline.post(
      '/api/ext/vendors',
      { companyName: 'One' },
      { key, ...from('198.18.0.1') },
    )
    const requested = { name: 'Two', timeZone: 'America/Chicago' }
    const { body: community } = await plumbline.post('/api/ext/communities', requested, { key, ...from('198.18.0.2') })
    plumbline.clock.advance(1000)
    const after = plumbline.clock.now().toISOString()
    const found = async (query: string) => {
      const { body } = await plumbline.get(`${LIST}?${query}`, { key })
      return body.data.map(({ resourceId }: Body) => resourceId)
    }
    const deadline = Date.now() + 10_000
    while (!(await found('action=vendor.created')).includes(vendor.id))
      if (Date.now() > deadline) throw new Error('late')
    expect(await found('action=community.created')).toEqual([community.id])
    expect(await found('resourceType=vendor')).toEqual([vendor.id])
    expect(await found('resourceType=community')).toEqual([community.id])
    expect(await found('address=198.18.0.1')).toEqual([vendor.id])
    expect(await found('outcome=refused')).toEqual([])
    expect(await found(`createdAfter=${before.replace('Z', '%2B00:00')}&resourceType=vendor`)).toEqual([vendor.id])
    expect(await found(`createdAfter=${after}`)).toEqual([])
    expect(await found(`createdBefore=${before}&resourceType=vendor`)).toEqual([])
    expect(await found(`createdBefore=${after}&resourceType=vendor`)).toEqual([vendor.id])
    const { body } = await plumbline.get(LIST, { key })
    const ids = body.data.map(({ id }: Body) => id)
    expect(await found(`ids=${ids[0]},${ids[1]},aud_unknown`)).toHaveLength(2)
    for (const wrong of ['cursor=x', 'action=Nothing', 'resourceType=nothing', 'sort=id'])
      expect([wrong, (await plumbline.get(`${LIST}?${wrong}`, { key })).status]).toEqual([wrong, 422])
    const cursor = Buffer.from(JSON.stringify(['-at', 'text', 'aud_x'])).toString('base64url')
    expect((await plumbline.get(`${LIST}?cursor=${cursor}`, { key })).body.code).toBe('invalid_cursor')
  })
})

test('a page of audit entries that is filtered without an index reads only a limited number of rows', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  // IDs are sorted by time. These entries have the smallest IDs, and the test searches for the oldest of them.
  await sql`
    insert into "auditEntries" ("organizationId", "id", "at", "actorType", "action", "resourceId")
    select ${organizationId}, 'aud_' || lpad(i::text, 26, '0'), '2020-01-01', 'system', case i when 1 then 'home.archived' else 'home.updated' end, 'hom_x'
    from generate_series(1, 25000) as i`.execute(plumbline.database.statements)
  const sizes: number[] = []
  let next = ''
  for (;;) {
    const { status, body } = await plumbline.get(`${LIST}?action=home.archived${next}`, { key })
    expect(status).toBe(200)
    sizes.push(body.data.length)
    if (body.nextCursor === null) break
    next = `&cursor=${body.nextCursor}`
  }
  expect(sizes).toEqual([0, 0, 0, 0, 0, 1])
})

describe('an entry', () => {
  test('an audit entry cannot be changed or deleted', async () => {
    const { statements } = plumbline.database
    await expect(sql`update "auditEntries" set "address" = null`.execute(statements)).rejects.toThrow('only added to')
    await expect(sql`delete from "auditEntries"`.execute(statements)).rejects.toThrow('only added to')
    await expect(sql`truncate "auditEntries"`.execute(statements)).rejects.toThrow('only added to')
  })

  test('an audit entry is kept for its own retention period, even after its event is deleted', async () => {
    const { database, clock } = plumbline
    const id = await newVendor('Soon gone')
    const [entry] = await getEntries(id)
    await sql`delete from "events" where "resourceId" = ${id}`.execute(database.statements)
    const { body } = await plumbline.get(`${LIST}?resourceId=${id}`)
    expect(body.data).toEqual([{ ...entry, eventId: null }])
    await deleteOldAuditEntries(database, clock, { auditRetentionDays: 400 })
    expect(await getEntries(id)).toHaveLength(1)
    clock.advance(401 * 86_400_000)
    await deleteOldAuditEntries(database, clock, { auditRetentionDays: 400 })
    expect((await plumbline.get(`${LIST}?resourceId=${id}`)).body.data).toEqual([])
  })
})
