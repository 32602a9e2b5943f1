import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReceiver } from '../../../scripts/processes/receiver.ts'
import { connectApp, createOauthApp } from '../../../test/support/oauth-app.ts'
import { listEvents, listEventsAbout } from '../../../test/support/recorded-events.ts'
import { buildSite } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createUser } from '../../domain/office/users/users.ts'
import { eraseContact } from '../../operators/builder-data/erase-person.ts'
import { createKey } from '../../platform/keys/keys.ts'
import { findBasisDifferences } from './basis.ts'
import { deleteOldProposals } from './delete-old-proposals.ts'
import { expireProposals } from './expire-proposals.ts'

let plumbline: TestPlumbline
/** An API key that may only propose changes. */
let agent: { id: string; key: string }
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  agent = await newAgent()
})
afterAll(() => plumbline.stop())

async function newAgent(): Promise<{ id: string; key: string }> {
  const { database, clock, organizationId } = plumbline
  const { id, secret } = await createKey(database, clock, { organizationId, name: 'Agent', proposeOnly: true })
  return { id, key: secret }
}
const DAY_MS = 86_400_000
const named = async (q: string) => (await plumbline.get(`/api/ext/vendors?q=${encodeURIComponent(q)}`)).body.data
const approve = (id: string, options = {}) => plumbline.post(`/api/ext/proposals/${id}/approve`, undefined, options)
const refuse = (id: string, body: object = {}, options = {}) =>
  plumbline.post(`/api/ext/proposals/${id}/refuse`, body, options)

test('a change that is requested with a propose-only key creates a proposal', async () => {
  const input = { companyName: 'Proposed Framing', scopes: ['framing'] }
  const steps = [
    { name: 'vendor', skill: 'createVendor', input },
    { name: 'hold', skill: 'updateVendor', input: { vendorId: '$steps.vendor.id', phone: '1' } },
  ]
  const sent = [
    await plumbline.post('/api/ext/vendors', input, agent),
    await plumbline.post('/api/ext/execute', { skill: 'createVendor', input }, agent),
    await plumbline.post('/api/ext/execute/batch', { steps }, agent),
  ]
  for (const { status, body, headers } of sent) {
    expect([status, headers.get('location')]).toEqual([202, `/api/ext/proposals/${body.id}`])
    expect(body).toMatchObject({ status: 'proposed', createdBy: { type: 'key', id: agent.id }, version: 1 })
    expect(body.outcome.events[0]).toMatchObject({ type: 'vendor.created' })
  }
  expect(sent.map(({ body }) => body.skill)).toEqual(['createVendor', 'createVendor', 'executeBatch'])
  expect(sent[0]?.body).toMatchObject({ input, outcome: { result: input, truncated: false } })
  expect(sent[2]?.body.outcome.result.steps[1].result).toMatchObject({ phone: '1' })
  expect(await named('Proposed Framing')).toEqual([])
  const { body: caller } = await plumbline.get('/api/ext/me', agent)
  expect(caller.proposeOnly).toBe(true)
})

describe('the approved outcome is the one that was shown', () => {
  const created = async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await plumbline.post(`/api/ext${path}`, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }

  test('an approval is rejected with a list of changes if a record that the proposal read has changed', async () => {
    const vendor = await created('/vendors', { companyName: 'Changed Meanwhile', phone: '1' })
    const proposed = await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { contactName: 'Ann' }, agent)
    expect(proposed.status).toBe(202)
    await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { phone: '2' })
    // The changed fields can be read only after the event has received its number.
    await plumbline.until(
      `/api/ext/events?resourceId=${vendor.id}&type=vendor.updated`,
      ({ body }) => body.data.length > 0,
    )
    const { status, body } = await approve(proposed.body.id)
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'conflict', reason: 'changed_meanwhile' })
    expect(body.changed).toEqual([{ resourceId: vendor.id, field: 'phone', before: '1', after: '2' }])
    expect((await plumbline.get(`/api/ext/vendors/${vendor.id}`)).body.contactName).toBeNull()
    expect((await plumbline.get(`/api/ext/proposals/${proposed.body.id}`)).body.status).toBe('proposed')
  })

  test('a proposal stores the ID of a record that its input identifies by name', async () => {
    const meant = await created('/vendors', { companyName: 'Named Framing' })
    const input = { vendorId: 'Named Framing', phone: '7' }
    const steps = [
      { name: 'first', skill: 'updateVendor', input },
      { name: 'second', skill: 'updateVendor', input: { vendorId: '$steps.first.id', contactName: 'Ann' } },
    ]
    const one = await plumbline.post('/api/ext/execute', { skill: 'updateVendor', input }, agent)
    const several = await plumbline.post('/api/ext/execute/batch', { steps }, agent)
    expect(one.body.input).toEqual({ vendorId: meant.id, phone: '7' })
    expect(several.body.input.steps).toEqual([{ ...steps[0], input: { vendorId: meant.id, phone: '7' } }, steps[1]])
    // Another record now has the name that the proposal uses.
    await plumbline.patch(`/api/ext/vendors/${meant.id}`, { companyName: 'Renamed Framing' })
    const other = await created('/vendors', { companyName: 'Named Framing' })
    expect((await approve(several.body.id)).body.reason).toBe('changed_meanwhile')
    for (const { id } of [meant, other]) expect((await plumbline.get(`/api/ext/vendors/${id}`)).body.phone).toBeNull()
  })

  test('the approval of an order is rejected if its total has increased since the proposal', async () => {
    const site = await buildSite(plumbline)
    const { database, clock } = plumbline
    const { organizationId, key } = site
    const proposer = await createKey(database, clock, { organizationId, name: 'Agent', proposeOnly: true })
    const lines = (unitPrice: number) => [{ description: 'Framing', quantity: 1, unitPrice }]
    const order = { homeId: site.lot15, vendorId: site.loneStar, scope: 'framing', lines: lines(10) }
    const { body: drafted } = await plumbline.post('/api/ext/purchase-orders', order, { key })
    const path = `/api/ext/purchase-orders/${drafted.id}`
    const { status, body: proposed } = await plumbline.post(
      `${path}/status`,
      { status: 'approved' },
      { key: proposer.secret },
    )
    expect([status, proposed.outcome.result.total]).toEqual([202, 10])
    expect((await plumbline.patch(path, { lines: lines(9_000_000) }, { key })).status).toBe(200)
    const { body } = await approve(proposed.id, { key })
    expect(body.reason).toBe('changed_meanwhile')
    expect(body.changed).toContainEqual({ resourceId: drafted.id, field: 'version', before: '1', after: '2' })
    expect(body.changed).toContainEqual({ resourceId: null, field: 'result/total', before: '10', after: '9000000' })
    expect((await plumbline.get(path, { key })).body.status).toBe('draft')
  })

  test('a changed amount in the outcome of a proposal is detected even if the changed record is not named', async () => {
    const basis = (figure: number, today = '2026-11-20') => ({
      ...{ versions: {}, today },
      figures: { 'result/total': figure, 'result/issuedDate': today, 'result/bids/0/amountsHidden': 'hidden' },
    })
    const shown = basis(10)
    expect(findBasisDifferences(shown, basis(10, '2026-11-22'), new Set())).toEqual([])
    const opened = { ...basis(10), figures: { ...basis(10).figures, 'result/bids/0/amount': 5 } }
    expect(findBasisDifferences(shown, opened, new Set())).toEqual([])
    expect(findBasisDifferences(shown, basis(11), new Set())).toEqual([
      { resourceId: null, field: 'result/total', before: '10', after: '11' },
    ])
  })

  test('a proposal to close a blind bid request can be approved, although its dry run hid the amounts', async () => {
    const site = await buildSite(plumbline)
    const { database, clock } = plumbline
    const { organizationId, key } = site
    const proposer = await createKey(database, clock, { organizationId, name: 'Agent', proposeOnly: true })
    const form = { ...site.framing(), blind: true, homeIds: [site.lot15] }
    const { body: request } = await plumbline.post('/api/ext/bids/request', form, { key })
    await plumbline.post('/api/ext/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 812.5 }, { key })
    const close = `/api/ext/bids/requests/${request.id}/close`
    const { body: proposed } = await plumbline.post(close, undefined, { key: proposer.secret })
    expect(JSON.stringify(proposed)).not.toContain('812.5')
    const { status, body } = await approve(proposed.id, { key })
    expect([status, body.outcome?.result.lowAmount]).toEqual([200, 812.5])
  })
})

test('a change that is requested over MCP with a propose-only key returns the ID of its proposal', async () => {
  const message = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'execute_skill', arguments: { skill: 'createVendor', input: { companyName: 'By MCP' } } },
  }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const answer = await fetch(`${plumbline.url}/mcp`, {
    ...{ method: 'POST', body: JSON.stringify(message) },
    headers: { ...headers, authorization: `Bearer ${agent.key}` },
  })
  const text = await answer.text()
  expect(text).toMatch(/Nothing was changed\. Proposal prp_\w+ is awaiting approval by another user\./)
  const { result } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  const shown = JSON.parse(result.content.at(-1).text)
  expect(shown).toMatchObject({ proposal: { status: 'proposed' }, wouldDo: { result: { companyName: 'By MCP' } } })
  expect(await named('By MCP')).toEqual([])
})

test('a propose-only key creates no proposal for reads, dry runs, and invalid requests', async () => {
  expect((await plumbline.get('/api/ext/vendors', agent)).status).toBe(200)
  const input = { companyName: 'Tried Out' }
  const tried = await plumbline.post('/api/ext/execute', { skill: 'createVendor', input, dryRun: true }, agent)
  expect([tried.status, tried.body.dryRun]).toEqual([200, true])
  const read = await plumbline.post('/api/ext/execute', { skill: 'getCaller' }, agent)
  expect(read.body.result.keyId).toBe(agent.id)
  const wrong = await plumbline.post('/api/ext/vendors', { companyName: '' }, agent)
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/companyName'])
  const absent = await plumbline.patch('/api/ext/vendors/ven_none', { phone: '1' }, agent)
  expect(absent.status).toBe(404)
  const files = { ...agent, headers: { 'content-type': 'application/octet-stream' } }
  const before = (await plumbline.get('/api/ext/proposals?limit=200')).body.data.length
  await plumbline.post('/api/ext/attachments', 'x', files)
  expect((await plumbline.get('/api/ext/proposals?limit=200')).body.data).toHaveLength(before)
})

test('repeating a request with the same Idempotency-Key creates no second proposal', async () => {
  const once = { ...agent, headers: { 'idempotency-key': 'propose-once' } }
  const send = () => plumbline.post('/api/ext/vendors', { companyName: 'Once' }, once)
  const [first, again] = [await send(), await send()]
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
  expect(again.body).toEqual(first.body)
  const twice = { ...agent, headers: { 'idempotency-key': 'propose-batch-once' } }
  const steps = [{ name: 'vendor', skill: 'createVendor', input: { companyName: 'Once' } }]
  const batch = () => plumbline.post('/api/ext/execute/batch', { steps }, twice)
  expect((await batch()).body.id).toBe((await batch()).body.id)
})

test('concurrent approvals of a proposal run the change only once, with the approver as its actor', async () => {
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Approved Roofing' }, agent)
  const [approved, other] = await Promise.all([approve(proposed.id), approve(proposed.id)])
  const [done, late] = approved.status === 200 ? [approved, other] : [other, approved]
  expect([done.status, late.status, late.body.code]).toEqual([200, 409, 'invalid_transition'])
  const { body: caller } = await plumbline.get('/api/ext/me')
  expect(done.body).toMatchObject({
    ...{ status: 'approved', createdBy: { id: agent.id }, decidedBy: { type: 'key', id: caller.keyId } },
    outcome: { result: { companyName: 'Approved Roofing', createdBy: { id: caller.keyId } } },
  })
  const [vendor, ...more] = await named('Approved Roofing')
  expect([vendor.id, more]).toEqual([done.body.outcome.result.id, []])
  // An event's audit entry is listed only after the event has received its number.
  const { body } = await plumbline.until(
    `/api/ext/audit-entries?resourceId=${proposed.id}&sort=at`,
    ({ body }) => body.data.length > 1,
  )
  expect(body.data).toMatchObject([
    { action: 'proposal.created', actor: { id: agent.id } },
    { action: 'proposal.status_changed', actor: { id: caller.keyId } },
  ])
})

test('a proposal remains pending if the current state does not allow the change', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Taken Later' })
  const change = { vendorId: vendor.id, externalId: 'erp-77' }
  const { body: proposed } = await plumbline.post('/api/ext/execute', { skill: 'updateVendor', input: change }, agent)
  await plumbline.post('/api/ext/vendors', { companyName: 'Was Faster', externalId: 'erp-77' })
  const refused = await approve(proposed.id)
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([409, '/input/externalId'])
  expect((await plumbline.get(`/api/ext/proposals/${proposed.id}`)).body.status).toBe('proposed')
})

test('an approval is rejected if the record no longer matches the If-Match of the proposal', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Moving' })
  const change = { vendorId: vendor.id, phone: '1', ifMatch: '"1"' }
  const { body: proposed } = await plumbline.post('/api/ext/execute', { skill: 'updateVendor', input: change }, agent)
  await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { phone: '2' })
  const refused = await approve(proposed.id)
  expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed'])
})

test('a propose-only key cannot decide on proposals', async () => {
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Not By Me' }, agent)
  const another = await newAgent()
  for (const options of [agent, another])
    for (const decide of [approve(proposed.id, options), refuse(proposed.id, {}, options)])
      expect([(await decide).status, (await decide).body.code]).toEqual([403, 'permission_denied'])
})

test('approving a proposal requires the permissions of its skill', async () => {
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Not By Me' }, agent)
  const narrow = await plumbline.newKey(['proposals:write', 'proposals:read'])
  const denied = await approve(proposed.id, { key: narrow })
  expect([denied.status, denied.body.permission]).toEqual([403, 'vendors:write'])
  const reader = await plumbline.newKey(['proposals:read', 'vendors:write'])
  expect((await approve(proposed.id, { key: reader })).body.permission).toBe('proposals:write')
  expect(await named('Not By Me')).toEqual([])
})

test("a builder cannot approve another builder's proposals", async () => {
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Not By Me' }, agent)
  const foreign = await plumbline.newBuilder()
  expect((await approve(proposed.id, { key: foreign.key })).status).toBe(404)
})

test('proposals can be filtered by status and skill', async () => {
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Refused' }, agent)
  await refuse(proposed.id, { reason: 'We have enough.' })
  const { body } = await plumbline.get('/api/ext/proposals?status=refused&skill=createVendor')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([proposed.id])
})

test('a rejected proposal cannot be approved', async () => {
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Refused' }, agent)
  const refused = await refuse(proposed.id, { reason: 'We have enough.' })
  expect(refused.body).toMatchObject({ status: 'refused', decisionReason: 'We have enough.', version: 2 })
  expect((await approve(proposed.id)).body).toMatchObject({ code: 'invalid_transition', from: 'refused' })
})

test('a proposal contains no one-time secret', async () => {
  const input = { url: 'https://hooks.example.com/proposed', eventTypes: ['vendor.created'] }
  const steps = [{ name: 'hook', skill: 'createWebhook', input }]
  for (const [path, body] of [
    ['/webhooks', input],
    ['/execute/batch', { steps }],
  ] as const) {
    const { body: proposed } = await plumbline.post(`/api/ext${path}`, body, agent)
    expect(proposed.status).toBe('proposed')
    expect(JSON.stringify(proposed)).not.toContain('whsec_')
  }
})

test('a proposed batch is approved as a whole', async () => {
  const input = { url: 'https://hooks.example.com/proposed', eventTypes: ['vendor.created'] }
  const steps = [{ name: 'hook', skill: 'createWebhook', input }]
  await plumbline.post('/api/ext/execute/batch', { steps }, agent)
  const pending = (await plumbline.get('/api/ext/proposals?skill=executeBatch&status=proposed&limit=1')).body.data[0]
  const { status, body } = await approve(pending.id)
  expect([status, body.outcome.result.steps[0].skill]).toEqual([200, 'createWebhook'])
  expect(JSON.stringify(body)).not.toContain('whsec_')
})

describe('secrets in proposals', () => {
  const hook = { url: 'https://hooks.example.com/x', eventTypes: ['vendor.created'] }
  const SECRETS = /whsec_|\/calendars\/|\/portal\/|12-3456789/

  test("approving the proposal of a calendar feed does not show the feed's URL", async () => {
    const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Has A Calendar' })
    const { body: proposed } = await plumbline.post('/api/ext/calendar-feeds', { vendorId: vendor.id }, agent)
    expect(proposed.outcome.result).toMatchObject({ vendorId: vendor.id, url: null })
    const { status, body } = await approve(proposed.id)
    expect([status, body.outcome.result.url]).toEqual([200, null])
  })

  test.each([
    ['a secret', 'createWebhook', '$steps.made.secret', 422],
    ['a record with a secret in it', 'createWebhook', '$steps.made', 422],
    ['the link of a calendar feed', 'createCalendarFeed', '$steps.made.url', 422],
    ['a field that is not secret', 'createWebhook', '$steps.made.url', 202],
  ])(
    'a proposed batch cannot copy %s of %s, unless the field is not secret',
    async (_what, skill, reference, expected) => {
      const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: `Copied ${reference} ${skill}` })
      const input = skill === 'createWebhook' ? hook : { vendorId: vendor.id }
      const steps = [
        { name: 'made', skill, input },
        { name: 'copied', skill: 'updateVendor', input: { vendorId: vendor.id, licenseNumber: reference } },
      ]
      const { status, body } = await plumbline.post('/api/ext/execute/batch', { steps }, agent)
      expect(status, JSON.stringify(body)).toBe(expected)
      if (expected === 422)
        expect(body.errors).toMatchObject([{ pointer: '/steps/1/input/licenseNumber', code: 'secret' }])
    },
  )

  test('a proposal is rejected if its input contains a secret', async () => {
    const own = { ...hook, secret: 'a secret of sixteen letters' }
    const steps = [{ name: 'hook', skill: 'createWebhook', input: own }]
    for (const [path, body] of [
      ['/webhooks', own],
      ['/execute', { skill: 'createWebhook', input: own }],
      ['/execute/batch', { steps }],
      ['/vendors/batch', { match: 'externalId', rows: [{ externalId: 'x', companyName: 'X', taxId: '12-3456789' }] }],
    ] as const) {
      const answer = await plumbline.post(`/api/ext${path}`, body, agent)
      expect([path, answer.status, answer.body.reason]).toEqual([path, 409, 'not_suitable'])
    }
  })

  test('dry runs and MCP results never contain secrets', async () => {
    const { body: vendor } = await plumbline.post('/api/ext/vendors', {
      companyName: 'Shown To Models',
      email: 'm@example.com',
    })
    const requested = [
      { skill: 'createWebhook', input: hook },
      { skill: 'inviteVendor', input: { vendorId: vendor.id } },
      { skill: 'createCalendarFeed', input: { vendorId: vendor.id } },
    ]
    const steps = requested.map((one, i) => ({ name: `step${i}`, ...one }))
    const { status, body } = await plumbline.post('/api/ext/execute/batch', { steps, dryRun: true })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(JSON.stringify(body)).not.toMatch(SECRETS)
    for (const one of requested) {
      const tried = await plumbline.post('/api/ext/execute', { ...one, dryRun: true })
      expect(tried.status, JSON.stringify(tried.body)).toBe(200)
      expect(JSON.stringify(tried.body)).not.toMatch(SECRETS)
      const message = {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'execute_skill', arguments: one },
      }
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const reported = await fetch(`${plumbline.url}/mcp`, {
        ...{ method: 'POST', body: JSON.stringify(message) },
        headers: { ...headers, authorization: `Bearer ${plumbline.key}` },
      })
      const text = await reported.text()
      // The message contains the result as JSON inside a text.
      expect(text).toContain(`\\"skill\\":\\"${one.skill}\\"`)
      expect(text).not.toMatch(SECRETS)
    }
  })
})

test('a proposal is visible only to callers with every permission of its skill', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Invited', email: 'in@example.com' })
  const { body: other } = await plumbline.post('/api/ext/vendors', { companyName: 'Also', email: 'too@example.com' })
  const steps = [{ name: 'invite', skill: 'inviteVendor', input: { vendorId: other.id } }]
  const { body: single } = await plumbline.post(`/api/ext/vendors/${vendor.id}/invite`, undefined, agent)
  const { body: batch } = await plumbline.post('/api/ext/execute/batch', { steps }, agent)
  const reader = await plumbline.newKey(['proposals:read', 'proposals:write'])
  for (const { id } of [single, batch]) {
    expect((await plumbline.get(`/api/ext/proposals/${id}`, { key: reader })).status).toBe(403)
    expect((await refuse(id, {}, { key: reader })).status).toBe(403)
    expect((await plumbline.get(`/api/ext/proposals/${id}`)).body.id).toBe(id)
  }
  expect((await plumbline.get('/api/ext/proposals', { key: reader })).body.data).toEqual([])
  const listed = (await plumbline.get('/api/ext/proposals?limit=2')).body.data
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([batch.id, single.id])
  for (const { id } of [single, batch]) {
    const { status, body } = await approve(id)
    expect([status, JSON.stringify(body).includes('/portal/')]).toEqual([200, false])
  }
  const taxed = await plumbline.post('/api/ext/vendors', { companyName: 'Taxed', taxId: '12-3456789' }, agent)
  expect([taxed.status, taxed.body.code]).toEqual([409, 'conflict'])
})

test('any API key can create a proposal', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  const propose = (skill: string, input = {}) => plumbline.post('/api/ext/proposals', { skill, input }, { key })
  const created = await propose('createVendor', { companyName: 'On Purpose' })
  expect([created.status, created.body.note]).toEqual([201, null])
  expect((await listEvents(plumbline, organizationId)).map(({ type }) => type)).toEqual(['proposal.created'])
})

test('a proposal for a read-only skill is rejected', async () => {
  const { key } = await plumbline.newBuilder()
  const propose = (skill: string, input = {}) => plumbline.post('/api/ext/proposals', { skill, input }, { key })
  expect((await propose('listVendors')).status).toBe(409)
})

test('a proposal for an unknown skill is rejected', async () => {
  const { key } = await plumbline.newBuilder()
  const propose = (skill: string, input = {}) => plumbline.post('/api/ext/proposals', { skill, input }, { key })
  expect((await propose('createVendors')).body.code).toBe('skill_not_found')
})

test('a proposal with invalid input is rejected', async () => {
  const { key } = await plumbline.newBuilder()
  const propose = (skill: string, input = {}) => plumbline.post('/api/ext/proposals', { skill, input }, { key })
  const wrong = await propose('createVendor')
  expect(wrong.body.errors[0].pointer).toBe('/input/companyName')
})

test("a user's app cannot approve the proposals of the user's apps, but the user can after a fresh sign-in", async () => {
  const owner = await plumbline.signIn()
  const proposing = await connectApp(plumbline, await createOauthApp(plumbline), owner, { proposeOnly: true })
  const acting = await connectApp(plumbline, await createOauthApp(plumbline), owner)
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'By My App' }, proposing)
  for (const by of [proposing, acting])
    expect((await approve(proposed.id, by)).body).toMatchObject({ status: 403, code: 'permission_denied' })
  await sql`update "sessions" set "createdAt" = now() - interval '11 minutes'`.execute(plumbline.database.statements)
  expect((await approve(proposed.id, owner)).body).toMatchObject({ status: 403, code: 'fresh_sign_in_required' })
  expect(await named('By My App')).toEqual([])
  const approved = await approve(proposed.id, await plumbline.signIn())
  expect(approved.body).toMatchObject({ status: 'approved', createdBy: { via: { client: 'Claude' } } })
  expect(approved.body.decidedBy).not.toHaveProperty('via')
  expect(await named('By My App')).toHaveLength(1)
})

test('a user cannot approve their own proposal, even after a fresh sign-in', async () => {
  const owner = await plumbline.signIn()
  const requested = { skill: 'createVendor', input: { companyName: 'By Myself' } }
  const { body: proposed } = await plumbline.post('/api/ext/proposals', requested, owner)
  expect((await approve(proposed.id, owner)).body).toMatchObject({ status: 403, code: 'permission_denied' })
})

test('a key can withdraw but not approve its own proposal', async () => {
  const propose = async (companyName: string) =>
    (await plumbline.post('/api/ext/proposals', { skill: 'createVendor', input: { companyName } })).body.id
  const [own, withdrawn] = [await propose('By Another'), await propose('Withdrawn')]
  const denied = await approve(own)
  expect([denied.status, denied.body.code]).toEqual([403, 'permission_denied'])
  expect(denied.body.detail).toBe(
    'You cannot approve your own proposal. Ask another user, or reject the proposal and run the skill yourself.',
  )
  expect((await refuse(withdrawn)).body.status).toBe('refused')
  expect((await approve(own, { key: await plumbline.newKey(['proposals:write', 'vendors:write']) })).body.status).toBe(
    'approved',
  )
})

test('events about a proposal are sent only to callers that can run its skill', async () => {
  const receiver = await startReceiver()
  const subscribe = async (key: string) => {
    const requested = { url: receiver.url, eventTypes: ['*'], allowDuplicate: true }
    return (await plumbline.post('/api/ext/webhooks', requested, { key })).body.id
  }
  const seeing = ['proposals:read', 'events:read', 'webhooks:write', 'webhooks:read'] as const
  const [narrow, wide] = [await plumbline.newKey([...seeing]), await plumbline.newKey([...seeing, 'vendors:write'])]
  const [unaware] = [await subscribe(narrow), await subscribe(wide)]
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Told', phone: '555' }, agent)
  await refuse(proposed.id, { reason: 'Not now.' })
  const reported = async (key: string) =>
    (await plumbline.get(`/api/ext/events?resourceId=${proposed.id}`, { key })).body.data
  await plumbline.until(`/api/ext/events?resourceId=${proposed.id}`, ({ body }) => body.data.length === 2)
  const [created, decided] = await reported(wide)
  expect([created.type, decided.type]).toEqual(['proposal.created', 'proposal.status_changed'])
  const { input: _input, outcome: _outcome, ...notice } = proposed
  expect(created.data).toEqual({ object: notice, previous: null })
  expect(decided.data.object).toMatchObject({ status: 'refused', decisionReason: 'Not now.' })
  expect(await reported(narrow)).toEqual([])
  const read = (key: string) => plumbline.get(`/api/ext/events/${created.id}`, { key })
  expect([(await read(wide)).status, (await read(narrow)).status]).toEqual([200, 404])
  const received = await receiver.until(2)
  expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual([created.id, decided.id])
  expect((await plumbline.get(`/api/ext/webhooks/${unaware}/deliveries`)).body.data).toEqual([])
  await receiver.close()
})

test("erasing a vendor contact also removes the contact's data from proposals", async () => {
  const { id: proposer, key } = await newAgent()
  const person = 'Wilhelmina Ostrander'
  const input = { companyName: 'Erasing', contactName: person, email: 'wilhelmina@example.com' }
  const { body: proposed } = await plumbline.post('/api/ext/vendors', input, { key })
  const note = `${person} asked for it.`
  const { body: noted } = await plumbline.post('/api/ext/proposals', { skill: 'createVendor', input, note })
  await refuse(noted.id, { reason: `Not with ${person}.` })
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { ...input, companyName: 'Erased' })
  await eraseContact(plumbline, vendor.id, { email: input.email, also: [] })
  for (const id of [proposed.id, noted.id]) {
    const { body } = await plumbline.get(`/api/ext/proposals/${id}`)
    expect(body.outcome.result.contactName).toBe('Erased person')
    expect(JSON.stringify(body)).not.toMatch(/Wilhelmina/i)
  }
  expect((await plumbline.get(`/api/ext/proposals/${proposed.id}`)).body.createdBy.id).toBe(proposer)
})

test('a user can create a propose-only key in the admin area', async () => {
  const owner = await plumbline.signIn()
  const requested = { name: 'Cautious', permissions: ['vendors:read', 'vendors:write'], proposeOnly: true }
  const { body: created } = await plumbline.post('/api/admin/keys', requested, owner)
  expect(created.proposeOnly).toBe(true)
})

test('a propose-only key cannot create a browser token', async () => {
  const owner = await plumbline.signIn()
  const requested = { name: 'Cautious', permissions: ['vendors:read', 'vendors:write'], proposeOnly: true }
  const { body: created } = await plumbline.post('/api/admin/keys', requested, owner)
  const origin = 'https://app.example.com'
  const { status, body } = await plumbline.post(
    '/api/ext/browser-tokens',
    { origin, permissions: ['vendors:write'] },
    { key: created.secret },
  )
  expect([status, body.reason]).toEqual([409, 'wrong_caller'])
})

// All tests from here on move the clock forward.
test('an approved proposal to clock out uses the time of the proposal, both alone and in a batch', async () => {
  const { database, clock, organizationId } = plumbline
  const worker = {
    organizationId,
    email: 'miguel@example.com',
    name: 'Miguel Ortiz',
    role: 'superintendent' as const,
    poApprovalLimit: 0,
  }
  const { id: userId } = await createUser(database, clock, worker)
  for (const propose of [
    (body: object) => plumbline.post('/api/ext/time-entries/clock-out', body, agent),
    (input: object) =>
      plumbline.post('/api/ext/execute/batch', { steps: [{ name: 'out', skill: 'clockOut', input }] }, agent),
  ]) {
    const { body: entry } = await plumbline.post('/api/ext/time-entries/clock-in', { userId })
    plumbline.clock.advance(3_600_000)
    const proposed = await propose({ userId })
    expect(proposed.status).toBe(202)
    const proposedAt = plumbline.clock.now().getTime()
    plumbline.clock.advance(30 * 60_000)
    expect((await approve(proposed.body.id)).status).toBe(200)
    const { endedAt } = (await plumbline.get(`/api/ext/time-entries/${entry.id}`)).body
    const after = Date.parse(endedAt) - proposedAt
    expect([after <= 0, after > -60_000]).toEqual([true, true])
  }
})

test('an undecided proposal expires after seven days and emits an event', async () => {
  const { body: proposed } = await plumbline.post('/api/ext/vendors', { companyName: 'Too Late' }, agent)
  plumbline.clock.advance(7 * DAY_MS)
  expect((await approve(proposed.id)).body).toMatchObject({ code: 'invalid_transition', from: 'expired' })
  await expireProposals(plumbline.app.services)
  const { body } = await plumbline.get(`/api/ext/proposals/${proposed.id}`)
  expect(body).toMatchObject({ status: 'expired', decidedBy: null, version: 2 })
  const [, expired] = await listEventsAbout(plumbline, proposed.id)
  expect(expired).toMatchObject({ type: 'proposal.status_changed', actor: { type: 'system' } })
})

test('only decided proposals are deleted after the retention period of the audit trail', async () => {
  const { database, clock } = plumbline
  const settled = (await plumbline.get('/api/ext/proposals?limit=200')).body.data
  expect(settled.length).toBeGreaterThan(5)
  plumbline.clock.advance(29 * DAY_MS)
  const fresh = { skill: 'createVendor', input: { companyName: 'Recent' } }
  const [refused, waiting] = [
    (await plumbline.post('/api/ext/proposals', fresh)).body.id,
    (await plumbline.post('/api/ext/proposals', fresh)).body.id,
  ]
  await refuse(refused)
  plumbline.clock.advance(2 * DAY_MS)
  await deleteOldProposals(database, clock, { auditRetentionDays: 30 })
  const { body } = await plumbline.get('/api/ext/proposals?limit=200')
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([waiting, refused])
})
