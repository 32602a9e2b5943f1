import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']

/** Creates a builder with three vendors, a community, two homes, and functions for its accounting system. */
async function books() {
  const site: Site = await buildSite(plumbline)
  const { key } = site
  const queue = (query = '', as = key) => plumbline.get(`/api/ext/accounting/queue${query}`, { key: as })
  const post = async (path: string, body: object, as = key) => plumbline.post(`/api/ext${path}`, body, { key: as })
  return {
    site,
    queue,
    post,
    acknowledge: (rows: object[], as = key) => post('/accounting/acknowledgements', { rows }, as),
    get: async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key })).body,
    patch: (path: string, body: object) => plumbline.patch(`/api/ext${path}`, body, { key }),
  }
}
const shown = ({ body }: ServiceResponse) => body.items.map(({ label, reason }: Body) => `${label} ${reason}`)
const minutes = (count: number) => plumbline.clock.advance(count * 60_000)

test('a record is in the accounting queue until its current version is acknowledged', async () => {
  const { queue, acknowledge, patch, get, site } = await books()
  const all = await queue()
  expect(all.body).toMatchObject({ hasMore: false })
  expect(shown(all)).toEqual(expect.arrayContaining(['Lot 14 new', 'Juniper Ridge new', 'Lone Star Framing LLC new']))

  const rows = all.body.items.map(({ id, version }: Body) => ({ id, version, accountingId: `QB-${id}` }))
  const answer = await acknowledge(rows)
  expect(answer.body).toMatchObject({ acknowledged: rows.length, stale: 0, errorsRecorded: 0, refused: 0 })
  expect((await get(`/vendors/${site.loneStar}`)).accountingId).toBe(`QB-${site.loneStar}`)
  expect((await queue()).body.items).toEqual([])
  const events = (await get('/events?type=vendor.updated')).data
  expect(events.map(({ data }: Body) => data.changedFields ?? Object.keys(data.previous))).toContainEqual([
    'accountingId',
  ])

  await patch(`/vendors/${site.loneStar}`, { phone: '512-555-0199' })
  const due = await queue('?type=vendor')
  expect(due.body.items).toMatchObject([
    {
      type: 'vendor',
      id: site.loneStar,
      reason: 'changed',
      accountingId: `QB-${site.loneStar}`,
      version: 3,
      syncedVersion: 2,
    },
  ])
  // Acknowledging an outdated version leaves the record in the queue.
  await patch(`/vendors/${site.loneStar}`, { phone: '512-555-0100' })
  const stale = await acknowledge([{ id: site.loneStar, version: 3 }])
  expect(stale.body.rows[0]).toMatchObject({ status: 'stale', version: 4 })
  expect((await queue()).body.items).toMatchObject([{ syncedVersion: 3, version: 4 }])
  expect((await acknowledge([{ id: site.loneStar, version: 4 }])).body.acknowledged).toBe(1)
  // A client that does not know whether its acknowledgment arrived can send the same acknowledgment again without
  // effect.
  const again = await acknowledge([{ id: site.loneStar, version: 3 }, ...rows])
  expect(again.body).toMatchObject({ acknowledged: rows.length + 1, refused: 0 })
  expect((await queue()).body.items).toEqual([])
})

test('a record that is synced by accountingId is not added to the accounting queue', async () => {
  const { queue, post, patch, acknowledge, get, site } = await books()
  await patch(`/homes/${site.lot14}`, { accountingId: 'JOB-14' })
  const batches: Record<string, object[]> = {
    vendors: [
      { accountingId: 'QB-1', companyName: 'Brazos Framing' },
      { accountingId: 'QB-2', companyName: 'Pecan Street Plumbing', status: 'prospective' },
    ],
    communities: [{ accountingId: 'CLASS-1', name: 'Mill Creek' }],
    homes: [
      { accountingId: 'JOB-1', name: 'Lot 1', communityId: site.communityId },
      // This record was created in Plumbline and has not been entered yet.
      { accountingId: 'JOB-14', name: 'Lot 14 A' },
    ],
    'cost-codes': [{ accountingId: '5110', code: '06-110', name: 'Framing lumber', category: 'material' }],
  }
  const sync = async (kind: string, rows: object[], match = 'accountingId') =>
    (await post(`/${kind}/batch`, { match, rows })).body.rows
  const created: Record<string, Body[]> = {}
  for (const [kind, rows] of Object.entries(batches)) created[kind] = await sync(kind, rows)
  const ofBatches = async () =>
    shown(await queue('?limit=200')).filter((line: string) => !/new$/.test(line) || /Brazos|Mill/.test(line))
  expect(await ofBatches()).toEqual(['Lot 14 A changed'])

  const [brazos, plumbing] = created.vendors ?? []
  expect([brazos, plumbing]).toMatchObject([{ version: 1 }, { version: 1 }])
  const phones = [
    { accountingId: 'QB-1', phone: '512-555-0101' },
    { accountingId: 'QB-2', phone: '512-555-0102' },
  ]
  expect(await sync('vendors', phones)).toMatchObject([{ version: 2 }, { version: 2 }])
  expect(await sync('vendors', phones)).toMatchObject([
    { status: 'unchanged', version: 2 },
    { status: 'unchanged', version: 2 },
  ])
  expect(await ofBatches()).toEqual(['Lot 14 A changed'])

  // A change made in Plumbline remains in the queue, even if a later batch from the accounting system changes other
  // fields of the same record.
  await patch(`/vendors/${brazos.id}`, { email: 'bids@brazos.example.com' })
  const again = await sync('vendors', [{ accountingId: 'QB-1', phone: '512-555-0111' }])
  expect(again).toMatchObject([{ id: brazos.id, version: 4 }])
  expect((await get(`/vendors/${brazos.id}`)).version).toBe(4)
  expect((await queue('?type=vendor')).body.items).toContainEqual(
    expect.objectContaining({ id: brazos.id, reason: 'changed', version: 4, syncedVersion: 2 }),
  )
  expect((await acknowledge([{ id: brazos.id, version: 4 }])).body.acknowledged).toBe(1)

  // Batches that match records by other keys than the accounting ID come from other systems, so their changes are
  // queued. A rejected batch has no effect.
  await sync('vendors', [{ id: plumbing.id, phone: '512-555-0122' }], 'id')
  const refused = { match: 'accountingId', rows: [{ accountingId: 'QB-1', phone: '1' }, { accountingId: 'QB-3' }] }
  expect((await post('/vendors/batch', refused)).status).toBe(422)
  await sync('vendors', [{ externalId: 'erp-4', accountingId: 'QB-4', companyName: 'Mill Stone' }], 'externalId')
  expect((await ofBatches()).toSorted()).toEqual([
    ...['Lot 14 A changed', 'Mill Stone changed', 'Pecan Street Plumbing changed'],
  ])
})

test('a record with a sync error is queued again after increasing intervals or when it changes', async () => {
  const { queue, acknowledge, patch, site } = await books()
  const fail = () => acknowledge([{ id: site.lot14, version: 1, error: 'The class is inactive.' }])
  expect((await fail()).body).toMatchObject({ errorsRecorded: 1, rows: [{ status: 'error_recorded', version: 1 }] })
  expect(shown(await queue('?type=home'))).toEqual(['Lot 15 new'])
  minutes(1)
  const error = { message: 'The class is inactive.', attempts: 1 }
  expect((await queue('?type=home')).body.items).toMatchObject([
    { label: 'Lot 14', reason: 'error', error },
    { label: 'Lot 15' },
  ])
  await fail()
  minutes(4)
  expect(shown(await queue('?type=home'))).toEqual(['Lot 15 new'])
  minutes(1)
  expect(shown(await queue('?type=home'))).toContain('Lot 14 error')
  await fail()
  const changed = await patch(`/homes/${site.lot14}`, { name: 'Lot 14A' })
  expect(changed.status).toBe(200)
  expect((await queue('?type=home')).body.items[1]).toMatchObject({
    label: 'Lot 14A',
    reason: 'new',
    error: { attempts: 3 },
  })
  const entered = await acknowledge([{ id: site.lot14, version: 2, accountingId: 'JOB-14' }])
  expect(entered.body.acknowledged).toBe(1)
  minutes(2000)
  expect(shown(await queue('?type=home'))).toEqual(['Lot 15 new'])
})

test('a failed record waits for its retry, and returns to the queue when it is retried', async () => {
  const { queue, acknowledge, site } = await books()
  const retry = (row = {}) => acknowledge([{ id: site.lot14, version: 1, retry: true, ...row }])
  expect((await retry()).body.rows).toMatchObject([{ status: 'refused', problem: { reason: 'wrong_status' } }])
  expect((await queue('?waiting=true')).body.items).toEqual([])
  await acknowledge([{ id: site.lot14, version: 1, error: 'The class is inactive.' }])
  expect(shown(await queue('?waiting=true'))).toEqual(['Lot 14 error'])
  expect(shown(await queue('?waiting=true&type=vendor'))).toEqual([])
  expect((await retry({ accountingId: 'JOB-14' })).body.rows).toMatchObject([
    { status: 'refused', problem: { errors: [{ pointer: '/accountingId' }] } },
  ])
  expect((await retry()).body).toMatchObject({ errorsRecorded: 1, rows: [{ status: 'error_recorded' }] })
  expect(shown(await queue('?waiting=true'))).toEqual([])
  const due = (await queue('?type=home')).body.items
  expect(due).toContainEqual(
    expect.objectContaining({ label: 'Lot 14', error: expect.objectContaining({ attempts: 1 }) }),
  )
  const other = await buildSite(plumbline)
  expect((await acknowledge([{ id: site.lot14, version: 1, retry: true }], other.key)).body.rows).toMatchObject([
    { status: 'refused', problem: { code: 'not_found' } },
  ])
  expect((await queue('?waiting=true', other.key)).body.items).toEqual([])
})

test('continuing the accounting queue from a cursor returns later changes and due retries', async () => {
  const { queue, acknowledge, patch, site } = await books()
  // Recent changes are returned twice, because a transaction that started earlier may still commit.
  minutes(2)
  const seen: string[] = []
  let after = ''
  for (let hasMore = true; hasMore; ) {
    const { body } = await queue(`?limit=2${after}`)
    seen.push(...body.items.map(({ id }: Body) => id))
    expect(body.items.length).toBeLessThanOrEqual(2)
    after = `&after=${body.resumeAfter}`
    hasMore = body.hasMore
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toEqual(expect.arrayContaining([site.lot14, site.lot15, site.loneStar, site.communityId]))
  await acknowledge([{ id: site.lot15, version: 1, error: 'Not now.' }])
  minutes(3)
  expect(shown(await queue(`?limit=200${after}`))).toEqual(['Lot 15 error'])
  await patch(`/homes/${site.lot14}`, { name: 'Lot 14B' })
  const next = await queue(`?limit=200${after}`)
  expect(shown(next)).toEqual(['Lot 15 error', 'Lot 14B new'])
  expect(shown(await queue(`?after=${next.body.resumeAfter}`))).toContain('Lot 14B new')
  const wrong = await queue('?after=nonsense')
  expect([wrong.status, wrong.body.code]).toEqual([422, 'invalid_cursor'])
})

test('drafts, prospective vendors, and records awaiting approval are not in the accounting queue', async () => {
  const { queue, post, site } = await books()
  await post('/vendors', { companyName: 'Maybe Masonry', status: 'prospective' })
  const lines = [{ description: 'Framing', quantity: 1, unitPrice: 900 }]
  const { body: order } = await post('/purchase-orders', {
    homeId: site.lot14,
    vendorId: site.loneStar,
    scope: 'framing',
    lines,
  })
  const labels = async () => shown(await queue())
  expect(await labels()).not.toContain('Maybe Masonry new')
  expect(await labels()).not.toContain(`${order.number} new`)
  await post(`/purchase-orders/${order.id}/status`, { status: 'approved' })
  expect((await queue('?type=po')).body.items).toMatchObject([
    { label: order.number, amount: 900, type: 'po', reason: 'new' },
  ])
})

test('records and accounting IDs match one to one', async () => {
  const { acknowledge, queue, site } = await books()
  const row = (id: string, accountingId: string, version = 1) => ({ id, accountingId, version })
  const { body } = await acknowledge([row(site.lot14, 'JOB-1'), row(site.lot15, 'JOB-1'), row(site.loneStar, 'JOB-1')])
  expect(body.rows.map(({ status, conflictingId }: Body) => [status, conflictingId])).toEqual([
    ['acknowledged', null],
    ['refused', site.lot14],
    ['acknowledged', null],
  ])
  expect(body.rows[1].problem).toMatchObject({ code: 'conflict', reason: 'value_taken', conflictingId: site.lot14 })
  const second = await acknowledge([row(site.lot14, 'JOB-2', 2)])
  expect(second.body.rows[0].problem).toMatchObject({
    reason: 'fixed',
    detail: 'The record is already linked to JOB-1 in accounting.',
  })
  const others = await acknowledge([
    row('ven_01m7y975jyfesvq6zzzzzzzzzz', 'X'),
    row('nothing', 'X'),
    { id: site.hillCountry, version: 1 },
    row(site.hillCountry, 'X', 99),
  ])
  expect(others.body.rows.map(({ problem }: Body) => problem.code)).toEqual([
    'not_found',
    'not_found',
    'conflict',
    'conflict',
  ])
  expect(shown(await queue('?type=vendor'))).toContain('Hill Country Framers new')
})

test('concurrent acknowledgments of the same records give each record one accounting ID', async () => {
  const { acknowledge, queue, get, site } = await books()
  const ids: string[] = (await queue()).body.items.map(({ id }: Body) => id)
  const by = (name: string, order: string[]) => order.map((id) => ({ id, version: 1, accountingId: `${name}-${id}` }))
  const answers = await Promise.all([
    acknowledge(by('A', ids)),
    acknowledge(by('B', ids.toReversed())),
    acknowledge(by('C', ids)),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  for (let i = 0; i < ids.length; i++) {
    const won = answers.filter(({ body }) =>
      body.rows.some(({ id, status }: Body) => id === ids[i] && status !== 'refused'),
    )
    expect(won).toHaveLength(1)
  }
  expect((await get(`/homes/${site.lot14}`)).version).toBe(2)
})

test('reconciliation finds the rows of an external ledger that differ from the records', async () => {
  const { acknowledge, post, site } = await books()
  await acknowledge([
    { id: site.loneStar, version: 1, accountingId: 'V-1' },
    { id: site.hillCountry, version: 1, accountingId: 'V-2' },
    { id: site.redrock, version: 1, accountingId: 'V-3' },
  ])
  const reconcile = (body: object) => post('/accounting/reconciliation', { type: 'vendor', ...body })
  const name = 'Lone Star Framing LLC'
  const { body } = await reconcile({
    rows: [
      { accountingId: 'V-1', name },
      { accountingId: 'V-2', name: 'Hill Country' },
      { accountingId: 'V-9' },
      { accountingId: 'V-9' },
    ],
  })
  expect(body).toMatchObject({
    ...{ matched: 1, missingHere: ['V-9'], repeated: ['V-9'], missingThereCount: 1 },
    differing: [{ accountingId: 'V-2', id: site.hillCountry, field: 'name', there: 'Hill Country' }],
    missingThere: [{ accountingId: 'V-3', id: site.redrock, amount: null }],
  })
  const part = await reconcile({ rows: [], afterAccountingId: 'V-1', throughAccountingId: 'V-2' })
  expect(part.body.missingThere.map(({ accountingId }: Body) => accountingId)).toEqual(['V-2'])
})

test('reconciliation compares amounts to the cent', async () => {
  const { acknowledge, post, site } = await books()
  const lines = [{ description: 'Framing', quantity: 1, unitPrice: 900.1 }]
  const { body: order } = await post('/purchase-orders', {
    homeId: site.lot14,
    vendorId: site.loneStar,
    scope: 'framing',
    lines,
  })
  const { body: approved } = await post(`/purchase-orders/${order.id}/status`, { status: 'approved' })
  await acknowledge([{ id: order.id, version: approved.version, accountingId: 'PO-1' }])
  const compared = async (amount: number) =>
    (await post('/accounting/reconciliation', { type: 'po', rows: [{ accountingId: 'PO-1', amount }] })).body
  expect(await compared(900.1)).toMatchObject({ matched: 1, differing: [] })
  expect(await compared(900.11)).toMatchObject({
    matched: 0,
    differing: [{ field: 'amount', here: 900.1, there: 900.11 }],
  })
})

test('reconciliation reports a void record as different from a row that is not void', async () => {
  const { acknowledge, post, site } = await books()
  const lines = [{ description: 'Framing', quantity: 1, unitPrice: 1000 }]
  const { body: order } = await post('/purchase-orders', {
    ...{ homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', lines },
  })
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${order.id}/status`, { status })
  await post(`/purchase-orders/${order.id}/progress`, { completedPercent: 100 })
  const { body: payment } = await post('/payments', { poId: order.id })
  await post(`/payments/${payment.id}/status`, { status: 'approved' })
  await acknowledge([{ id: payment.id, version: 2, accountingId: 'BP-1' }])
  const compared = async (row: object): Promise<Body> => {
    const rows = [{ accountingId: 'BP-1', ...row }]
    const { matched, differing } = (await post('/accounting/reconciliation', { type: 'payment', rows })).body
    return [matched, differing.map(({ field, here, there }: Body) => [field, here, there])]
  }
  expect(await compared({ amount: 1000 })).toEqual([1, []])
  expect(await compared({ amount: 1000, status: 'void' })).toEqual([0, [['status', 'active', 'void']]])
  await post(`/payments/${payment.id}/void`, { reason: 'Wrong order.' })
  expect(await compared({ amount: 1000 })).toEqual([0, [['status', 'voided', null]]])
  expect(await compared({ amount: 0, status: 'void' })).toEqual([1, []])
})

test('a key can list and acknowledge only the records that its permissions cover', async () => {
  const { queue, acknowledge, post, site } = await books()
  const narrow = await plumbline.newKey(
    ['payments:read', 'payments:write', 'homes:read', 'vendors:write'],
    site.organizationId,
  )
  const kinds = (answer: ServiceResponse) => [...new Set(answer.body.items.map(({ type }: Body) => type))]
  expect(kinds(await queue('', narrow))).toEqual(['home'])
  const denied = await queue('?type=vendor', narrow)
  expect([denied.status, denied.body.permission]).toEqual([403, 'vendors:read'])
  const { body } = await acknowledge([{ id: site.lot14, version: 1, accountingId: 'J' }], narrow)
  expect(body.rows[0].problem.code).toBe('permission_denied')
  expect((await post('/accounting/reconciliation', { type: 'po', rows: [] }, narrow)).body.permission).toBe('pos:read')

  const { key } = await plumbline.newBuilder()
  expect((await queue('', key)).body.items).toEqual([])
  const foreign = await acknowledge([{ id: site.lot14, version: 1, accountingId: 'J' }], key)
  expect(foreign.body.rows[0].problem.code).toBe('not_found')
})
