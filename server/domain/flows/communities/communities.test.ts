import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const juniperRidge = {
  name: 'Juniper Ridge',
  status: 'active',
  city: 'Austin',
  state: 'TX',
  postalCode: '78744',
  timeZone: 'America/Chicago',
  lotCount: 48,
}

async function newCommunity(fields: object = {}, key = plumbline.key) {
  const { status, body } = await plumbline.post('/api/ext/communities', { ...juniperRidge, ...fields }, { key })
  expect(status).toBe(201)
  return body
}

const move = (id: string, status: string, reason?: string) =>
  plumbline.post(`/api/ext/communities/${id}/status`, { status, ...(reason !== undefined && { reason }) })

test('a new community is returned with the fields that were sent', async () => {
  const linked = { ...juniperRidge, accountingId: 'CLASS-204' }
  const created = await plumbline.post('/api/ext/communities', linked)
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({ ...linked, code: null, externalId: null, version: 1, archivedAt: null })
  expect(created.headers.get('location')).toBe(`/api/ext/communities/${created.body.id}`)
  const read = await plumbline.get(`/api/ext/communities/${created.body.id}`)
  expect(read.body).toEqual(created.body)
  expect(read.headers.get('etag')).toBe('"1"')
})

test("a new community gets the builder's time zone and the status planning by default", async () => {
  const { key } = await plumbline.newBuilder({ timeZone: 'America/Denver' })
  const { body } = await plumbline.post('/api/ext/communities', { name: 'Mill Creek Crossing' }, { key })
  expect(body).toMatchObject({ timeZone: 'America/Denver', status: 'planning', lotCount: null })
})

test('an unknown time zone is reported at its field', async () => {
  const refused = await plumbline.post('/api/ext/communities', { name: 'Atlantis', timeZone: 'Sea/Atlantis' })
  expect(refused.status).toBe(422)
  expect(refused.body.errors).toMatchObject([{ pointer: '/timeZone' }])
  const community = await newCommunity()
  expect((await plumbline.patch(`/api/ext/communities/${community.id}`, { timeZone: 'CST6CDT/x' })).status).toBe(422)
})

test('the code of an archived community can be used again', async () => {
  const { key } = await plumbline.newBuilder()
  const first = await newCommunity({ code: 'JR' }, key)
  const second = await plumbline.post('/api/ext/communities', { name: 'Jasper Run', code: 'JR' }, { key })
  expect(second.status).toBe(409)
  expect(second.body).toMatchObject({ code: 'conflict', errors: [{ pointer: '/code' }] })
  await plumbline.delete(`/api/ext/communities/${first.id}`, { key })
  await newCommunity({ code: 'JR' }, key)
})

test('communities can be filtered by code, status, text, and accounting ID', async () => {
  const { key } = await plumbline.newBuilder()
  await newCommunity({ code: 'JR', accountingId: 'CLASS-204' }, key)
  await newCommunity({ name: 'Mill Creek Crossing', city: 'Round Rock', status: 'planning' }, key)
  const names = async (query: string) =>
    (await plumbline.get(`/api/ext/communities?${query}`, { key })).body.data.map(
      (community: { name: string }) => community.name,
    )
  expect(await names('code=JR')).toEqual(['Juniper Ridge'])
  expect(await names('status=planning')).toEqual(['Mill Creek Crossing'])
  expect(await names('q=round%20mill')).toEqual(['Mill Creek Crossing'])
  expect(await names('accountingId=CLASS-204')).toEqual(['Juniper Ridge'])
  expect(await names('accountingId=null')).toEqual(['Mill Creek Crossing'])
  expect(await names('sort=name')).toEqual(['Juniper Ridge', 'Mill Creek Crossing'])
})

test('only the documented status changes of a community are accepted', async () => {
  const { id } = await newCommunity({ status: 'planning' })
  const skipped = await move(id, 'sold_out')
  expect(skipped.status).toBe(409)
  expect(skipped.body).toMatchObject({
    code: 'invalid_transition',
    from: 'planning',
    to: 'sold_out',
    allowed: ['active'],
  })
  for (const status of ['active', 'sold_out', 'active', 'sold_out', 'closed']) {
    const moved = await move(id, status, 'The board said so.')
    expect(moved.status).toBe(200)
    expect(moved.body.status).toBe(status)
  }
  expect((await move(id, 'active')).body).toMatchObject({ code: 'invalid_transition', allowed: [] })
})

test('the status history of a community contains every change with its actor and reason', async () => {
  const { id } = await newCommunity()
  await move(id, 'sold_out', 'The last lot went under contract.')
  const moves = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select(['from', 'to', 'reason', 'by'])
    .where('resourceId', '=', id)
    .orderBy('id')
    .execute()
  expect(moves).toMatchObject([
    { from: null, to: 'active' },
    { from: 'active', to: 'sold_out', reason: 'The last lot went under contract.', by: { type: 'key' } },
  ])
})

test('a community with an unfinished home cannot be closed or archived', async () => {
  const community = await newCommunity()
  const { body: home } = await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: community.id })
  await move(community.id, 'sold_out')
  for (const refused of [
    await move(community.id, 'closed'),
    await plumbline.delete(`/api/ext/communities/${community.id}`),
  ]) {
    expect(refused.status).toBe(409)
    expect(refused.body).toMatchObject({
      code: 'conflict',
      detail: 'Cannot close or archive Juniper Ridge: 1 home is not closed, canceled, or archived.',
    })
  }
  await plumbline.post(`/api/ext/homes/${home.id}/status`, { status: 'cancelled' })
  expect((await move(community.id, 'closed')).status).toBe(200)
  expect((await plumbline.delete(`/api/ext/communities/${community.id}`)).status).toBe(204)
})

test('no home can be added to a community that is sold out, closed, or archived', async () => {
  const community = await newCommunity()
  const addHome = () => plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: community.id })
  await move(community.id, 'sold_out')
  expect(await addHome()).toMatchObject({
    status: 409,
    body: { detail: 'Cannot add a home: Juniper Ridge is sold out. Change its status to active first.' },
  })
  await move(community.id, 'closed')
  expect(await addHome()).toMatchObject({
    status: 409,
    body: { detail: 'Cannot add a home: Juniper Ridge is closed.' },
  })
  const other = await newCommunity()
  await plumbline.delete(`/api/ext/communities/${other.id}`)
  expect(await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: other.id })).toMatchObject({
    status: 409,
    body: { detail: 'Cannot add a home: Juniper Ridge is archived.' },
  })
  expect((await move(other.id, 'sold_out')).status).toBe(409)
})

test('the number of lots of a community cannot be less than its number of homes', async () => {
  const community = await newCommunity({ lotCount: 3 })
  for (const name of ['Lot 1', 'Lot 2']) await plumbline.post('/api/ext/homes', { name, communityId: community.id })
  const refused = await plumbline.patch(`/api/ext/communities/${community.id}`, { lotCount: 1 })
  expect(refused).toMatchObject({
    status: 409,
    body: {
      reason: 'in_use',
      detail: 'The number of lots of Juniper Ridge is too low: 2 lots already have homes.',
    },
  })
  expect((await plumbline.patch(`/api/ext/communities/${community.id}`, { lotCount: 2 })).body.lotCount).toBe(2)
  expect((await plumbline.patch(`/api/ext/communities/${community.id}`, { lotCount: null })).body.lotCount).toBeNull()
})

test("a builder can neither see nor change another builder's community", async () => {
  const community = await newCommunity()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/communities/${community.id}`, { key })).status).toBe(404)
  expect((await plumbline.patch(`/api/ext/communities/${community.id}`, { name: 'Mine' }, { key })).status).toBe(404)
  expect(
    (await plumbline.post(`/api/ext/communities/${community.id}/status`, { status: 'sold_out' }, { key })).status,
  ).toBe(404)
  const home = await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: community.id }, { key })
  expect(home).toMatchObject({
    status: 422,
    body: { code: 'unknown_reference', errors: [{ pointer: '/communityId' }] },
  })
})
