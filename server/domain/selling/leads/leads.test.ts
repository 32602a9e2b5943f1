import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

const LEADS = '/api/ext/leads'

let plumbline: TestPlumbline
let communityId: string
let planId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await made('communities', { name: 'Juniper Ridge' })
  planId = await made('plans', { name: 'The Possumhaw', code: 'P2100' })
})
afterAll(() => plumbline.stop())

async function made(kind: string, fields: object): Promise<string> {
  return (await added(kind, fields)).id
}

async function added(kind: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${kind}`, fields)
  expect([status, body.errors ?? body.detail]).toEqual([201, undefined])
  return body
}

const read = async (id: string) => (await plumbline.get(`${LEADS}/${id}`)).body
const move = (id: string, status: string, reason?: string) =>
  plumbline.post(`${LEADS}/${id}/status`, { status, reason })
const act = (id: string, fields: object) => plumbline.post(`${LEADS}/${id}/activities`, fields)
const listed = async (query: string) =>
  (await plumbline.get(`${LEADS}?${query}`)).body.data.map(({ lastName }: { lastName: string }) => lastName)

test('the score of a lead is explained by its known data', async () => {
  const lead = await added('leads', { lastName: 'Marsh', email: 'elena.marsh@example.com' })
  expect(lead).toMatchObject({
    status: 'new',
    source: 'other',
    score: 5,
    lastActivityAt: lead.createdAt,
    communityIds: [],
  })
  expect(lead.scoreReasons).toEqual([{ reason: 'The lead has an email address.', points: 5 }])
  const day = lead.createdAt.slice(0, 10)
  const fields = {
    source: 'referral',
    communityIds: [communityId],
    planIds: [planId],
    budgetMax: 510000,
    desiredMoveIn: day,
  }
  const { body: known } = await plumbline.patch(`${LEADS}/${lead.id}`, { phone: '+1 512 555 0188', ...fields })
  expect(known.score).toBe(5 + 5 + 15 + 5 + 5 + 5 + 10)
  for (const activityType of ['visit', 'meeting', 'visit', 'call', 'email', 'text', 'note'])
    expect((await act(lead.id, { activityType })).status).toBe(200)
  await plumbline.patch(`${LEADS}/${lead.id}`, { nextActivityAt: '2027-01-04T16:00:00Z' })
  const { body: proposed } = await move(lead.id, 'proposal')
  expect(proposed.score).toBe(100)
  const total = proposed.scoreReasons.reduce((sum: number, { points }: { points: number }) => sum + points, 0)
  expect(total).toBe(100)
  expect((await move(lead.id, 'lost', 'Bought a resale house.')).body).toMatchObject({
    ...{ status: 'lost', lostReason: 'Bought a resale house.', score: 0, scoreReasons: [] },
  })
})

test('a contacted lead can change to any open status', async () => {
  const { id } = await added('leads', { phone: '+1 737 555 0122', source: 'phone' })
  const refused = await move(id, 'converted')
  expect(refused.body).toMatchObject({ code: 'invalid_transition', from: 'new' })
  for (const status of ['appointment', 'contacted', 'proposal', 'qualified'])
    expect((await move(id, status)).body.status).toBe(status)
})

test('changing a lead to lost requires a reason', async () => {
  const { id } = await added('leads', { phone: '+1 737 555 0122', source: 'phone' })
  expect((await move(id, 'lost')).body.errors).toMatchObject([{ pointer: '/reason', code: 'required' }])
  expect((await move(id, 'lost', 'No answer after six tries.')).status).toBe(200)
})

test('a lost lead can change only to the status contacted', async () => {
  const { id } = await added('leads', { phone: '+1 737 555 0122', source: 'phone' })
  for (const status of ['appointment', 'contacted', 'proposal', 'qualified'])
    expect((await move(id, status)).body.status).toBe(status)
  await move(id, 'lost', 'No answer after six tries.')
  expect((await move(id, 'qualified')).body).toMatchObject({ code: 'invalid_transition', allowed: ['contacted'] })
  expect((await move(id, 'contacted')).body).toMatchObject({ lostReason: null, score: 15 })
  const { data } = (await plumbline.get(`/api/ext/status-changes?resourceId=${id}`)).body
  expect(data.map(({ to }: { to: string }) => to)).toEqual([
    ...['new', 'appointment', 'contacted', 'proposal', 'qualified', 'lost', 'contacted'],
  ])
  expect(data[5].reason).toBe('No answer after six tries.')
})

test('an activity updates the last activity time of its lead, but never to an earlier time', async () => {
  const lead = await added('leads', { lastName: 'Sandoz' })
  const later = new Date(Date.parse(lead.createdAt) + 3_600_000).toISOString()
  const future = await act(lead.id, { activityType: 'call', occurredAt: later })
  expect(future.body.errors).toMatchObject([{ pointer: '/occurredAt', code: 'maximum' }])
  const past = { activityType: 'visit', occurredAt: '2026-01-05T10:00:00-06:00', notes: 'Saw the model.' }
  const { body: visit } = await act(lead.id, { ...past, nextActivityAt: '2026-02-01T15:00:00Z' })
  expect(visit).toMatchObject({ leadId: lead.id, occurredAt: '2026-01-05T16:00:00.000Z', notes: 'Saw the model.' })
  expect(await read(lead.id)).toMatchObject({
    ...{ lastActivityAt: lead.lastActivityAt, nextActivityAt: '2026-02-01T15:00:00.000Z', score: 15 },
  })
  const { body: call } = await act(lead.id, { activityType: 'call' })
  expect(await read(lead.id)).toMatchObject({ lastActivityAt: call.occurredAt, score: 20 })
  expect((await act(lead.id, { activityType: 'note', nextActivityAt: null })).status).toBe(200)
  expect(await read(lead.id)).toMatchObject({ nextActivityAt: null, score: 15 })
  const { data } = (await plumbline.get(`${LEADS}/${lead.id}/activities?sort=occurredAt`)).body
  expect(data.map(({ activityType }: { activityType: string }) => activityType)).toEqual(['visit', 'call', 'note'])
  expect((await plumbline.get(`${LEADS}/${lead.id}/activities?activityType=call`)).body.data).toHaveLength(1)
})

test('leads can be filtered by owner, community, plan, source, and activity times', async () => {
  const owner = await newOwner()
  await added('leads', { lastName: 'Oakhanger', ownerUserId: owner, nextActivityAt: '2026-03-01T12:00:00Z' })
  await added('leads', { lastName: 'Larkmead', ownerUserId: owner, communityIds: [communityId], source: 'realtor' })
  await added('leads', { lastName: 'Gristwood', ownerUserId: owner, planIds: [planId], email: 'zelda.g@example.com' })
  const of = `ownerUserId=${owner}&sort=createdAt`
  expect(await listed(of)).toEqual(['Oakhanger', 'Larkmead', 'Gristwood'])
  expect(await listed(`${of}&dueBefore=2026-03-02T00:00:00Z`)).toEqual(['Oakhanger'])
  expect(await listed(`${of}&inactiveSince=2026-03-02T00:00:00Z`)).toEqual([])
  expect(await listed(`${of}&communityId=${communityId}`)).toEqual(['Larkmead'])
  expect(await listed(`${of}&planId=${planId}`)).toEqual(['Gristwood'])
  expect(await listed(`${of}&source=realtor&status=new`)).toEqual(['Larkmead'])
  expect(await listed(`${of}&q=zelda.G grist`)).toEqual(['Gristwood'])
  expect(await listed(`ownerUserId=${owner}&sort=-score`)).toEqual(['Larkmead', 'Gristwood', 'Oakhanger'])
})

async function newOwner(): Promise<string> {
  const { body } = await plumbline.post('/api/ext/messages', { body: 'Who?', recipientRoles: ['owner'] })
  return body.recipients[0].id
}

test('a lead requires a last name, an email address, or a phone number', async () => {
  const nobody = await plumbline.post(LEADS, { source: 'sign' })
  expect(nobody.body.errors).toMatchObject([{ pointer: '/lastName', code: 'required' }])
  const { id } = await added('leads', { email: 'hattie@example.com' })
  expect((await plumbline.patch(`${LEADS}/${id}`, { email: null })).body.errors).toMatchObject([
    { pointer: '/lastName' },
  ])
  const poor = await plumbline.patch(`${LEADS}/${id}`, { budgetMin: 400000, budgetMax: 300000 })
  expect(poor.body.errors).toMatchObject([{ pointer: '/budgetMax', code: 'minimum' }])
  const unknown = await plumbline.post(LEADS, { lastName: 'A', planIds: ['pln_none'], communityIds: [communityId] })
  expect(unknown.body.errors).toMatchObject([{ pointer: '/planIds/0', code: 'unknown_reference' }])
  const owner = await plumbline.post(LEADS, { lastName: 'A', ownerUserId: 'usr_none' })
  expect(owner.body.errors).toMatchObject([{ pointer: '/ownerUserId', code: 'unknown_reference' }])
})

test('an archived lead is not listed by default and accepts no activities or status changes', async () => {
  const { id } = await added('leads', { lastName: 'Twice', externalId: 'web-77' })
  const again = await plumbline.post(LEADS, { lastName: 'Twice', externalId: 'web-77' })
  expect(again.body.errors).toMatchObject([{ pointer: '/externalId', code: 'conflict' }])
  expect((await plumbline.delete(`${LEADS}/${id}`)).status).toBe(204)
  expect((await plumbline.delete(`${LEADS}/${id}`)).status).toBe(204)
  expect(await listed('externalId=web-77')).toEqual([])
  expect(await listed('externalId=web-77&includeArchived=true')).toEqual(['Twice'])
  expect((await act(id, { activityType: 'call' })).status).toBe(409)
  expect((await move(id, 'contacted')).status).toBe(409)
})

test('a lead can have at most 500 activities', async () => {
  const { id } = await added('leads', { lastName: 'Patient' })
  const { organizationId, database } = plumbline
  await database.transaction(async (trx) => {
    const row = (n: number) => ({
      ...{ organizationId, id: `lac_${String(n).padStart(26, '0')}`, leadId: id, activityType: 'note' },
      ...{ occurredAt: new Date(), version: 1, createdBy: JSON.stringify({ type: 'system', id: null }) },
      ...{ createdAt: new Date(), updatedAt: new Date() },
    })
    await trx
      .insertInto('leadActivities')
      .values(Array.from({ length: 500 }, (_, n) => row(n)))
      .execute()
  })
  const { status, body } = await act(id, { activityType: 'note' })
  expect([status, body.reason]).toEqual([409, 'limit_reached'])
})
