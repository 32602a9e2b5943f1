import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { VENDOR_REFERENCES } from '../../../domain/vendors/vendors/merge-queries.ts'

/**
 * A framer was entered twice. Both records have bids, an order, a payment, a task, prices, and compliance documents.
 */
let desk: Desk
let keep: string
let other: string
let communityId: string
let homeId: string
let order: { id: string }
beforeAll(async () => {
  desk = await Desk.open()
  communityId = (await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })).id
  homeId = (await desk.post('/homes', { name: 'Lot 1', communityId })).id
  const vendor = async (companyName: string, more: object) => (await desk.post('/vendors', { companyName, ...more })).id
  keep = await vendor('Lone Star Framing LLC', { scopes: ['framing'], email: 'bids@lonestar.example.com' })
  other = await vendor('Lonestar Framing', {
    ...{
      scopes: ['Framing', 'trusses'],
      phone: '+1 512 555 0142',
      accountingId: 'QB-7',
      email: 'old@lonestar.example.com',
      backupWithholding: { reason: 'irs_notice', fromDate: desk.day(90) },
    },
    contacts: [{ name: 'Dana', email: 'dana@lonestar.example.com' }],
  })
})
afterAll(() => desk.plumbline.stop())

const ask = (vendorIds: string[], title: string) =>
  desk.post('/bids/request', {
    vendorIds,
    scope: 'framing',
    deadline: desk.day(5),
    communityId,
    homeIds: [homeId],
    title,
  })

// Citus cannot enforce every foreign key.
test.skipIf(inject('citus'))('mergeVendors covers every table that refers to vendors', async () => {
  const { rows } = await sql<{ table: string; column: string }>`
    select c.conrelid::regclass::text as "table", a.attname as "column"
    from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey) and a.attname <> 'organizationId'
    where c.contype = 'f' and c.confrelid = '"vendors"'::regclass`.execute(desk.plumbline.database.statements)
  const found = rows.map(({ table, column }) => [table.replaceAll('"', ''), column]).sort()
  expect(found).toEqual(
    Object.entries(VENDOR_REFERENCES)
      .flatMap(([table, { columns }]) => columns.map((column) => [table, column]))
      .sort(),
  )
})

test('vendors with open invitations to the same request or active contracts for the same work cannot be merged', async () => {
  const request = await ask([keep, other], 'Framing')
  const requested = await desk.execute('mergeVendors', { keepId: keep, mergeId: other })
  expect(requested.body).toMatchObject({ status: 409, code: 'conflict' })
  expect(requested.body).toMatchObject({
    reason: 'wrong_status',
    detail: expect.stringContaining(`Cannot merge the vendors: both are invited to ${request.number}.`),
  })
  await desk.post('/bids', { bidRequestId: request.id, vendorId: keep, amount: 100, source: 'phone' })
  const bid = await desk.post('/bids', { bidRequestId: request.id, vendorId: other, amount: 90, source: 'phone' })
  await desk.post(`/bids/${bid.id}/accept`)
  const contract = async (vendorId: string) => {
    const part = await desk.post('/parts', { sku: `LABOR-${vendorId.slice(-5)}`, name: 'Labor', unit: 'SF' })
    const lines = [{ partId: part.id, unitPrice: 9 }]
    const { id } = await desk.post('/contracts', {
      ...{ vendorId, scope: 'framing', contractType: 'unit_price', effectiveDate: desk.day(0), lines },
    })
    await desk.post(`/contracts/${id}/status`, { status: 'active' })
    return id
  }
  const [, second] = [await contract(keep), await contract(other)]
  const contracted = await desk.execute('mergeVendors', { keepId: keep, mergeId: other })
  expect(contracted.body).toMatchObject({
    reason: 'in_use',
    detail: expect.stringMatching(
      /^Cannot merge the vendors: both have active contracts for the same trade and place \(\S+ and \S+\)/,
    ),
  })
  await desk.post(`/contracts/${second}/status`, { status: 'terminated', reason: 'Entered twice.' })
  const itself = await desk.execute('mergeVendors', { keepId: keep, mergeId: keep })
  expect(itself.body.errors).toMatchObject([{ pointer: '/input/mergeId', code: 'itself' }])
})

test('mergeVendors moves all references to the remaining vendor and archives the merged vendor', async () => {
  const alone = await ask([other], 'Trusses')
  await desk.post(`/vendors/${other}/invite`)
  const link = await desk.plumbline.mailedLink(other)
  const frame = { homeId, scope: 'framing', vendorId: other }
  order = await desk.order({ ...frame, amount: 1000, done: 50 })
  const payment = await desk.post('/payments', { poId: order.id, invoiceNumber: 'LS-1' })
  const mine = await desk.order({ ...frame, vendorId: keep, amount: 2000, done: 50 })
  await desk.post('/payments', { poId: mine.id, invoiceNumber: 'ls-1' })
  const task = await desk.post('/tasks', { homeId, name: 'Walls', vendorId: other, plannedStart: desk.day(9) })
  await desk.post(`/tasks/${task.id}/delay`, { days: 1, reasonCode: 'vendor_no_show', responsible: 'vendor' })
  const part = await desk.post('/parts', { sku: 'STUD', name: 'Stud', unit: 'EA' })
  const price = (vendorId: string) => ({ vendorId, unitPrice: 3, effectiveDate: '2020-01-01' })
  await desk.post(`/parts/${part.id}/prices`, price(keep))
  await desk.post(`/parts/${part.id}/prices`, price(other))
  await desk.post(`/vendors/${other}/compliance-documents`, { type: 'w9', status: 'valid' })
  const item = await desk.post('/punch-items', {
    ...{ homeId, description: 'Stud is bowed.', vendorId: other, responsibleVendorId: other, dueDate: desk.day(3) },
  })
  await desk.post('/messages', {
    recipients: [{ type: 'vendor', id: other }],
    body: 'Are you coming?',
    channel: 'email',
  })

  const tried = await desk.run('mergeVendors', { keepId: keep, mergeId: 'Lonestar Framing' }, { dryRun: true })
  expect((await desk.get(`/vendors/${other}`)).archivedAt).toBeNull()
  const answer = await desk.execute('mergeVendors', { keepId: keep, mergeId: 'Lonestar Framing' })
  const { vendor, merged, moved, stayed, archivedPrices, warnings } = answer.body.result
  expect(tried.moved).toEqual(moved)
  expect(merged).toMatchObject({ id: other, mergedIntoId: keep, portalStatus: 'not_invited', accountingId: null })
  expect(merged.archivedAt).not.toBeNull()
  expect(vendor).toMatchObject({
    ...{
      scopes: ['framing', 'trusses'],
      phone: '+1 512 555 0142',
      accountingId: 'QB-7',
      complianceStatus: 'compliant',
      backupWithholding: { reason: 'irs_notice', fromDate: desk.day(90), toDate: null },
    },
    ...{ email: 'bids@lonestar.example.com', contacts: [{ name: 'Dana' }] },
  })
  const counts = Object.fromEntries(moved.map(({ kind, count }: { kind: string; count: number }) => [kind, count]))
  expect(counts).toMatchObject({
    invitation: 1,
    po: 1,
    payment: 1,
    task: 1,
    punch_item: 1,
    contract: 1,
    compliance_document: 1,
  })
  // Both vendors were invited to the request that has been decided, and each keeps its own response.
  expect(stayed).toEqual([
    { kind: 'invitation', count: 1 },
    { kind: 'bid', count: 1 },
  ])
  expect([archivedPrices, warnings]).toEqual([
    1,
    ['Invoice LS-1 was recorded for both vendors. Check whether it was paid twice.'],
  ])
  expect(await desk.get(`/purchase-orders/${order.id}`)).toMatchObject({ vendorId: keep })
  expect(await desk.get(`/payments/${payment.id}`)).toMatchObject({ vendorId: keep })
  expect(await desk.get(`/tasks/${task.id}`)).toMatchObject({ vendorId: keep, delays: [{ vendorId: keep }] })
  expect(await desk.get(`/punch-items/${item.id}`)).toMatchObject({
    ...{ vendorId: keep, responsibleVendorId: keep, version: item.version + 1 },
  })
  expect((await desk.get(`/bids/requests/${alone.id}/invitations`)).data).toMatchObject([{ vendorId: keep }])
  expect((await desk.get('/messages')).data[0].recipients).toMatchObject([{ id: keep }])
  const visit = await fetch(link, { redirect: 'manual' })
  expect(visit.status).toBe(410)
  const events = answer.body.events.map(({ data }: { data: { object: { id: string } } }) => data.object.id)
  expect(new Set(events)).toEqual(new Set([keep, other]))
  const history = await desk.get(`/audit-entries?resourceId=${order.id}&limit=1`)
  expect(history.data[0]).toMatchObject({ resourceId: order.id })
})

test('only the remaining vendor of a merge can be merged again', async () => {
  const again = await desk.execute('mergeVendors', { keepId: keep, mergeId: other })
  expect(again.body).toMatchObject({
    reason: 'already_done',
    detail: expect.stringContaining('has already been merged into another vendor'),
  })
  const third = await desk.post('/vendors', { companyName: 'LSF Holdings', scopes: ['framing'] })
  await desk.run('mergeVendors', { keepId: third.id, mergeId: keep })
  expect(await desk.get(`/vendors/${other}`)).toMatchObject({ mergedIntoId: third.id })
  expect(await desk.get(`/purchase-orders/${order.id}`)).toMatchObject({ vendorId: third.id })
})

test('onboardVendor adds a vendor with its documents or changes nothing', async () => {
  const vendor = { companyName: 'Brazos Roofing', scopes: ['roofing'], email: 'office@brazos.example.com' }
  const paper = {
    type: 'general_liability',
    status: 'valid',
    effectiveDate: desk.day(-9),
    expirationDate: desk.day(300),
  }
  const done = await desk.run('onboardVendor', { vendor, documents: [paper, { type: 'w9' }] })
  expect(done.vendor).toMatchObject({
    companyName: 'Brazos Roofing',
    portalStatus: 'invited',
    complianceStatus: 'compliant',
  })
  const missing = done.checklist.filter(({ isThere }: { isThere: boolean }) => !isThere)
  expect(missing.map(({ item }: { item: string }) => item)).toEqual([
    'phone',
    'accounting_id',
    'workers_comp',
    'agreement',
  ])
  expect(done.missing).toBe(4)
  const wrong = { type: 'auto', effectiveDate: desk.day(9), expirationDate: desk.day(1) }
  const refused = await desk.execute('onboardVendor', { vendor: { companyName: 'Half' }, documents: [wrong] })
  expect(refused.body.errors).toMatchObject([{ pointer: '/input/documents/0' }])
  expect((await desk.get('/vendors?q=Half')).data).toEqual([])
})
