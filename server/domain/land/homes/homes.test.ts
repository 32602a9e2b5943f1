import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listEventsAbout } from '../../../../test/support/recorded-events.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
beforeEach(async () => {
  const { body } = await plumbline.post('/api/ext/communities', {
    name: 'Juniper Ridge',
    status: 'active',
    timeZone: 'Pacific/Auckland',
  })
  communityId = body.id
})
afterAll(() => plumbline.stop())

async function newHome(fields: object = {}) {
  const { status, body } = await plumbline.post('/api/ext/homes', { name: 'Lot 15', communityId, ...fields })
  expect(status).toBe(201)
  return body
}

const move = (id: string, status: string, reason?: string): Promise<ServiceResponse> =>
  plumbline.post(`/api/ext/homes/${id}/status`, {
    ...{ status, ...(reason !== undefined && { reason }) },
    ...(status === 'closed' && { overrideReason: 'It was sold before sales were kept here.' }),
  })

/** Locks the home's budget and moves the home through the statuses up to the given status. */
async function bring(id: string, to: string): Promise<ServiceResponse> {
  await plumbline.post(`/api/ext/homes/${id}/budget/lines`, { scope: 'framing', amount: 42000 })
  await plumbline.post(`/api/ext/homes/${id}/budget/lock`)
  for (const status of [
    'permitting',
    'ready_to_start',
    'under_construction',
    'completed',
    'closed',
    'warranty',
    'archived',
  ]) {
    const moved = await move(id, status)
    expect(moved.status).toBe(200)
    if (status === to) return moved
  }
  throw new Error(`There is no way to ${to}.`)
}

test('a new home has the status planning and the fields that were sent', async () => {
  const created = await plumbline.post('/api/ext/homes', {
    name: 'Lot 15',
    communityId,
    lotNumber: '15',
    homeType: 'presale',
    address: { line1: '90 Juniper Ridge Dr', city: 'Austin' },
    accountingId: 'JOB-1015',
  })
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    status: 'planning',
    homeType: 'presale',
    address: {
      line1: '90 Juniper Ridge Dr',
      line2: null,
      city: 'Austin',
      state: null,
      postalCode: null,
      country: null,
    },
    budgetLockedAt: null,
  })
  expect(created.headers.get('location')).toBe(`/api/ext/homes/${created.body.id}`)
  expect((await plumbline.get(`/api/ext/homes/${created.body.id}`)).body).toEqual(created.body)
  expect(await listEventsAbout(plumbline, created.body.id)).toMatchObject([
    { type: 'home.created', data: { object: created.body } },
  ])
})

test('each status change of a home creates an event and a history entry', async () => {
  const { id } = await newHome()
  const skipped = await move(id, 'under_construction')
  expect(skipped.body).toMatchObject({
    code: 'invalid_transition',
    from: 'planning',
    allowed: ['permitting', 'on_hold', 'cancelled'],
  })
  const archived = await bring(id, 'archived')
  expect(archived.body.archivedAt).not.toBeNull()
  expect((await move(id, 'warranty')).body).toMatchObject({ code: 'invalid_transition', from: 'archived', allowed: [] })

  const events = await listEventsAbout(plumbline, id)
  const moved = events.filter(({ type }) => type === 'home.status_changed')
  expect(events.map((event) => event.type)).toEqual([
    ...['home.created', 'home.updated', ...Array(7).fill('home.status_changed')],
  ])
  expect(moved[0]).toMatchObject({
    data: { object: { status: 'permitting' }, previous: { status: 'planning' } },
  })
  const moves = await plumbline.database.statements
    .selectFrom('statusChanges')
    .select('to')
    .where('resourceId', '=', id)
    .orderBy('id')
    .execute()
  expect(moves.map((line) => line.to)).toEqual([
    ...[
      'planning',
      'permitting',
      'ready_to_start',
      'under_construction',
      'completed',
      'closed',
      'warranty',
      'archived',
    ],
  ])
})

test('construction of a home requires a locked budget', async () => {
  const { id } = await newHome()
  await move(id, 'permitting')
  await move(id, 'ready_to_start')
  const refused = await move(id, 'under_construction')
  expect(refused).toMatchObject({
    status: 409,
    body: {
      ...{ code: 'conflict', reason: 'budget_not_locked' },
      detail: 'Cannot start construction of Lot 15: its budget is not locked. Lock the budget first.',
    },
  })
  await plumbline.post(`/api/ext/homes/${id}/budget/lines`, { scope: 'framing', amount: 42000 })
  await plumbline.post(`/api/ext/homes/${id}/budget/lock`)
  expect((await move(id, 'under_construction')).status).toBe(200)
})

test('closing a home without a completed sale requires sales:write and an override reason', async () => {
  const { id } = await newHome()
  await bring(id, 'completed')
  const close = (body: object, key?: string) =>
    plumbline.post(`/api/ext/homes/${id}/status`, { status: 'closed', ...body }, { ...(key !== undefined && { key }) })
  expect(await close({ reason: 'The keys were handed over.' })).toMatchObject({
    status: 409,
    body: {
      reason: 'needs_override',
      detail: 'Lot 15 has no completed sale. To close the home anyway, set overrideReason.',
    },
  })
  expect(await close({ overrideReason: ' ' })).toMatchObject({ status: 422 })
  const key = await plumbline.newKey(['homes:write'])
  const overrideReason = 'Sold by the broker.'
  expect(await close({ overrideReason }, key)).toMatchObject({
    status: 403,
    body: { code: 'permission_denied', permission: 'sales:write' },
  })
  expect(await move(id, 'cancelled', 'None.')).toMatchObject({ status: 200 })
  const other = await newHome()
  await bring(other.id, 'completed')
  const closed = await plumbline.post(`/api/ext/homes/${other.id}/status`, {
    ...{ status: 'closed', reason: 'The keys were handed over.', overrideReason },
  })
  expect(closed).toMatchObject({ status: 200, body: { status: 'closed' } })
  const { body: history } = await plumbline.get(`/api/ext/status-changes?resourceId=${other.id}&sort=-at`)
  expect(history.data[0]).toMatchObject({
    ...{ to: 'closed', reason: 'The keys were handed over. Without a complete sale: Sold by the broker.' },
  })
  const early = await newHome()
  const wrong = await plumbline.post(`/api/ext/homes/${early.id}/status`, { status: 'permitting', overrideReason })
  expect(wrong).toMatchObject({ status: 422, body: { errors: [{ pointer: '/overrideReason', code: 'exclusive' }] } })
})

test('the superintendent of a home must be a user of the builder', async () => {
  const { userId, key } = await plumbline.newBuilder()
  const elsewhere = await plumbline.newBuilder()
  const community = { name: 'Mill Creek', status: 'active', superintendentId: userId }
  const site = await plumbline.post('/api/ext/communities', community, { key })
  expect(site.body).toMatchObject({ superintendentId: userId })
  const home = { name: 'Lot 1', communityId: site.body.id, superintendentId: userId }
  const { body } = await plumbline.post('/api/ext/homes', home, { key })
  expect(body).toMatchObject({ superintendentId: userId })
  const paths = [`/api/ext/homes/${body.id}`, `/api/ext/communities/${site.body.id}`]
  for (const path of paths)
    for (const superintendentId of ['usr_nobody', elsewhere.userId]) {
      const refused = await plumbline.patch(path, { superintendentId }, { key })
      expect(refused).toMatchObject({ status: 422, body: { code: 'unknown_reference' } })
      expect(refused.body.errors).toMatchObject([{ pointer: '/superintendentId' }])
    }
  for (const path of paths)
    expect((await plumbline.patch(path, { superintendentId: null }, { key })).body.superintendentId).toBeNull()
})

test("the start, completion, and closing dates of a home use the community's time zone and do not change during a hold", async () => {
  const { id } = await newHome()
  const started = await bring(id, 'under_construction')
  const today = started.body.startDate
  // The date in Auckland differs from the date in UTC for half of each day, so compare with the date at the time of the
  // update.
  const auckland = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Auckland' })
  expect(today).toBe(auckland.format(new Date(started.body.updatedAt)))
  plumbline.clock.advance(26 * 3_600_000)
  await move(id, 'on_hold')
  const resumed = await move(id, 'under_construction')
  expect(resumed.body.startDate).toBe(today)
  const completed = await move(id, 'completed')
  expect(completed.body.actualCompletionDate).toBe(auckland.format(new Date(completed.body.updatedAt)))
  expect(completed.body.actualCompletionDate > today).toBe(true)
  const closed = await move(id, 'closed')
  expect(closed.body.closingDate).toBe(completed.body.actualCompletionDate)
})

test('only a home that is not completed can be put on hold', async () => {
  for (const status of ['planning', 'permitting', 'ready_to_start', 'under_construction']) {
    const { id } = await newHome()
    if (status !== 'planning') await bring(id, status)
    const held = await move(id, 'on_hold', 'Waiting for the utility company.')
    expect(held.body).toMatchObject({ status: 'on_hold', statusBeforeHold: status })
    const elsewhere = await move(id, 'completed')
    expect(elsewhere.body).toMatchObject({
      code: 'invalid_transition',
      from: 'on_hold',
      allowed: [status, 'cancelled'],
    })
    expect((await move(id, status)).body).toMatchObject({ status, statusBeforeHold: null })
  }
  const { id } = await newHome()
  await bring(id, 'completed')
  expect((await move(id, 'on_hold')).body).toMatchObject({
    code: 'invalid_transition',
    allowed: ['closed', 'cancelled'],
  })
})

test('a home can be canceled only until it is closed', async () => {
  const { id } = await newHome()
  await bring(id, 'completed')
  expect((await move(id, 'cancelled')).body.status).toBe('cancelled')
  expect((await move(id, 'planning')).body).toMatchObject({ code: 'invalid_transition', allowed: [] })
  const other = await newHome()
  await bring(other.id, 'closed')
  expect((await move(other.id, 'cancelled')).body).toMatchObject({ code: 'invalid_transition', allowed: ['warranty'] })
})

test("homes that are added concurrently never exceed the community's number of lots", async () => {
  await plumbline.patch(`/api/ext/communities/${communityId}`, { lotCount: 3 })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => plumbline.post('/api/ext/homes', { name: `Lot ${i}`, communityId })),
  )
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(3)
  for (const refused of answers.filter((answer) => answer.status !== 201)) {
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'conflict',
        detail: 'The number of lots of Juniper Ridge is too low: 3 lots already have homes.',
      },
    })
  }
})

test('a lot can have only one home that is not canceled', async () => {
  const first = await newHome({ lotNumber: '15', block: 'A' })
  await newHome({ lotNumber: '15', block: 'B' })
  const second = await plumbline.post('/api/ext/homes', { name: 'Again', communityId, lotNumber: '15', block: 'A' })
  expect(second).toMatchObject({ status: 409, body: { code: 'conflict', errors: [{ pointer: '/lotNumber' }] } })
  await move(first.id, 'cancelled')
  const third = await newHome({ lotNumber: '15', block: 'A' })
  await bring(third.id, 'archived')
  expect(
    (await plumbline.post('/api/ext/homes', { name: 'Again', communityId, lotNumber: '15', block: 'A' })).status,
  ).toBe(409)
})

test('homes can be filtered by community, status, type, lot, text, and address', async () => {
  const home = await newHome({
    name: 'The Larkspur',
    lotNumber: '15',
    homeType: 'model',
    address: { line1: '90 Sagebrush Ln', country: 'US' },
  })
  const other = await newHome({ name: 'Lot 22', lotNumber: '22' })
  await move(other.id, 'permitting')
  const ids = async (query: string) =>
    (await plumbline.get(`/api/ext/homes?communityId=${communityId}&${query}`)).body.data.map(
      (found: { id: string }) => found.id,
    )
  expect(await ids('status=planning')).toEqual([home.id])
  expect(await ids('homeType=model')).toEqual([home.id])
  expect(await ids('lotNumber=22')).toEqual([other.id])
  expect(await ids('q=larkspur%20sagebrush')).toEqual([home.id])
  expect(await ids('q=country')).toEqual([])
  expect(await ids('accountingId=null&sort=name')).toEqual([other.id, home.id])
  expect((await plumbline.get('/api/ext/homes?communityId=com_nowhere')).body.data).toEqual([])
})

test('archiving a home that was never started frees its lot', async () => {
  const home = await newHome({ lotNumber: '15' })
  expect((await plumbline.delete(`/api/ext/homes/${home.id}`)).status).toBe(204)
  expect((await plumbline.delete(`/api/ext/homes/${home.id}`)).status).toBe(204)
  expect((await plumbline.get(`/api/ext/homes/${home.id}`)).body).toMatchObject({ status: 'planning' })
  expect((await plumbline.get(`/api/ext/homes?ids=${home.id}`)).body.data).toEqual([])
  expect((await plumbline.get(`/api/ext/homes?ids=${home.id}&includeArchived=true`)).body.data).toHaveLength(1)
  expect((await move(home.id, 'permitting')).body.code).toBe('conflict')
  expect((await listEventsAbout(plumbline, home.id)).map(({ type }) => type)).toEqual(['home.created', 'home.updated'])
  expect((await newHome({ lotNumber: '15' })).lotNumber).toBe('15')
})

test('a home can be archived after construction starts only if it is canceled', async () => {
  const started = await newHome()
  await bring(started.id, 'under_construction')
  expect((await plumbline.delete(`/api/ext/homes/${started.id}`)).status).toBe(409)
  await move(started.id, 'cancelled')
  expect((await plumbline.delete(`/api/ext/homes/${started.id}`)).status).toBe(204)
})

test('a home with an open purchase order cannot be archived', async () => {
  const home = await newHome()
  const { body: vendor } = await plumbline.post('/api/ext/vendors', {
    companyName: 'Lone Star Framing LLC',
    scopes: ['framing'],
  })
  const { body: order } = await plumbline.post('/api/ext/purchase-orders', {
    homeId: home.id,
    vendorId: vendor.id,
    scope: 'framing',
    lines: [{ description: 'Wall framing', quantity: 1, unitPrice: 100 }],
  })
  expect(await plumbline.delete(`/api/ext/homes/${home.id}`)).toMatchObject({
    status: 409,
    body: {
      code: 'conflict',
      detail: 'Cannot archive Lot 15: it has 1 open purchase order. Close or void it first.',
    },
  })
  await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status: 'void' })
  expect((await plumbline.delete(`/api/ext/homes/${home.id}`)).status).toBe(204)
})

test('an update of a home changes only the fields that were sent', async () => {
  const home = await newHome({ address: { line1: '90 Juniper Ridge Dr' } })
  const changed = await plumbline.patch(`/api/ext/homes/${home.id}`, {
    name: 'Lot 15A',
    address: null,
    accountingId: 'JOB-1016',
  })
  expect(changed.body).toMatchObject({ name: 'Lot 15A', address: null, accountingId: 'JOB-1016', version: 2 })
})

test('an update of a home with a stale If-Match returns 412', async () => {
  const home = await newHome()
  await plumbline.patch(`/api/ext/homes/${home.id}`, { name: 'Lot 15A' })
  const stale = await plumbline.patch(
    `/api/ext/homes/${home.id}`,
    { name: 'Lot 15B' },
    { headers: { 'if-match': '"1"' } },
  )
  expect(stale).toMatchObject({ status: 412, body: { currentVersion: 2 } })
})

test('an update of a home cannot change its status', async () => {
  const home = await newHome()
  expect((await plumbline.patch(`/api/ext/homes/${home.id}`, { status: 'permitting' })).status).toBe(422)
})

test('repeating a status change with the same Idempotency-Key returns the first response', async () => {
  const { id } = await newHome()
  const again = () =>
    plumbline.post(
      `/api/ext/homes/${id}/status`,
      { status: 'permitting' },
      { headers: { 'idempotency-key': `move-${id}` } },
    )
  const first = await again()
  const second = await again()
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(second.body).toEqual(first.body)
  expect(await listEventsAbout(plumbline, id)).toHaveLength(2)
})

test("a builder cannot see another builder's homes", async () => {
  const { id } = await newHome()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/homes/${id}`, { key })).status).toBe(404)
  expect((await plumbline.post(`/api/ext/homes/${id}/status`, { status: 'permitting' }, { key })).status).toBe(404)
  expect((await plumbline.delete(`/api/ext/homes/${id}`, { key })).status).toBe(404)
  expect((await plumbline.get('/api/ext/homes', { key })).body.data).toEqual([])
})
