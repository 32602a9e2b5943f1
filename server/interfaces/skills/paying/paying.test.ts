import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'

/**
 * On Lot 1, half of the framing is completed (20,000 with 10 % retainage), and the painter is on hold. Lot 2 is
 * completed, with 1,000 of retainage for the framing. The framer must sign lien waivers. The expected figures below
 * were calculated by hand from these amounts.
 */
let desk: Desk
let lot1: string
let lot2: string
let framer: string
let framing: { id: string; number: string }
let retaining: { id: string; number: string }
beforeAll(async () => {
  desk = await Desk.open()
  const community = await desk.post('/communities', { name: 'Juniper Ridge', code: 'JR', status: 'active' })
  const vendor = async (companyName: string, scope: string, more = {}) =>
    (await desk.post('/vendors', { companyName, scopes: [scope], email: `${scope}@example.com`, ...more })).id
  framer = await vendor('Lone Star Framing', 'framing', { lienWaiverRequired: true, paymentTerms: { netDays: 0 } })
  const painter = await vendor('Smoothwall', 'painting', { paymentTerms: { netDays: 0 } })
  const home = async (name: string, basePrice: number) =>
    (await desk.post('/homes', { name, lotNumber: name.slice(4), communityId: community.id, basePrice })).id
  lot1 = await home('Lot 1', 300_000)
  lot2 = await home('Lot 2', 200_000)
  for (const [homeId, amount] of [
    [lot1, 60_000],
    [lot2, 20_000],
  ])
    await desk.post(`/homes/${homeId}/budget/lines`, { scope: 'framing', amount })
  const frame = { vendorId: framer, scope: 'framing', retainagePercent: 10 }
  framing = await desk.order({ ...frame, homeId: lot1, amount: 20_000, done: 50 })
  retaining = await desk.order({ ...frame, homeId: lot2, amount: 10_000, done: 100 })
  await desk.order({ homeId: lot1, vendorId: painter, scope: 'painting', amount: 3000, done: 100 })
  await desk.post(`/vendors/${painter}/status`, { status: 'on_hold', reason: 'A dispute.' })
  for (const lot of [lot1, lot2]) {
    await desk.post(`/homes/${lot}/budget/lock`)
    await desk.move(`/homes/${lot}`, 'permitting', 'ready_to_start', 'under_construction')
  }
  await desk.move(`/homes/${lot2}`, 'completed')
}, 60_000)
afterAll(() => desk.plumbline.stop())

test('payableNow returns the same payable orders and reasons as a payment run', async () => {
  const result = await desk.run('payableNow')
  expect(result.orders).toMatchObject([
    { number: framing.number, done: 10_000, retainage: 1000, payable: 9000, isPayable: true, blockers: [] },
    { number: retaining.number, done: 10_000, retainage: 1000, payable: 9000, isPayable: true },
    { vendor: 'Smoothwall', payable: 3000, isPayable: false, blockers: [{ reason: 'vendor_on_hold' }] },
  ])
  expect(result).toMatchObject({ payable: 18_000, blocked: 3000, through: desk.day(0) })
  const run = (await desk.execute('createPaymentRun', {}, { dryRun: true })).body.result
  expect(run.amount).toBe(result.payable)
  expect((await desk.run('payableNow', { vendorId: 'Smoothwall' })).orders).toHaveLength(1)
})

test('payOnCompletion completes a task and its orders and pays for the orders less retainage', async () => {
  const draft = await desk.order({ homeId: lot1, vendorId: framer, scope: 'framing', amount: 500, statuses: [] })
  await desk.post('/tasks', { homeId: lot1, name: 'Walls framed', scope: 'framing', poIds: [framing.id, draft.id] })
  const input = { taskId: 'Walls framed, Lot 1', invoiceNumber: 'LS-1' }
  const tried = await desk.run('payOnCompletion', input, { dryRun: true })
  expect(tried).toMatchObject({
    completedOn: desk.day(0),
    orders: expect.arrayContaining([
      { poId: framing.id, number: framing.number, status: 'completed', isCompleted: true },
      { poId: draft.id, number: draft.number, status: 'draft', isCompleted: false },
    ]),
    payments: [{ grossAmount: 20_000, retainageWithheld: 2000, amount: 18_000 }],
    refused: [{ id: draft.id, label: draft.number, problem: { code: 'conflict' } }],
    amount: 18_000,
  })
  expect((await desk.get('/payments')).data).toEqual([])
  const done = await desk.execute('payOnCompletion', input)
  expect(done.body.events.map(({ type }: { type: string }) => type)).toEqual([
    'task.status_changed',
    'task.completed',
    'bill.approved',
    'po.status_changed',
    'payment.created',
  ])
  const again = await desk.run('payOnCompletion', input)
  expect(again).toMatchObject({ payments: [], amount: 0 })
  expect(again.refused.map(({ problem }: { problem: { detail: string } }) => problem.detail)).toContain(
    `All completed work on ${framing.number} is already included in payments.`,
  )
})

test('voidPaymentAndReissue voids a payment and enters the same payment again', async () => {
  const [payment] = (await desk.get('/payments')).data
  const { voided, payment: anew } = await desk.run('voidPaymentAndReissue', {
    ...{ paymentId: payment.number, reason: 'The check was lost.', method: 'ach' },
  })
  expect(voided).toMatchObject({ id: payment.id, status: 'voided', voidReason: 'The check was lost.' })
  expect(anew).toMatchObject({
    ...{ status: 'pending', replacesPaymentId: payment.id, invoiceNumber: 'LS-1', method: 'ach' },
    ...{ grossAmount: 20_000, retainageWithheld: 2000, amount: 18_000, allocations: payment.allocations },
  })
  const twice = await desk.execute('voidPaymentAndReissue', { paymentId: payment.number, reason: 'Again.' })
  expect(twice.body).toMatchObject({ status: 409, code: 'invalid_transition' })
})

test('matchInvoice finds an order by its number or, without a number, by the closest amount', async () => {
  const byAmount = await desk.run('matchInvoice', {
    vendorId: 'Lone Star Framing',
    invoiceNumber: 'LS-2',
    amount: 9100,
  })
  expect(byAmount).toMatchObject({
    match: { number: retaining.number, done: 10_000, payable: 9000, difference: 100, matchedOn: 'payable' },
    differences: [`The invoice exceeds the payable amount of ${retaining.number} ($9,000.00) by $100.00.`],
    duplicates: [],
  })
  const named = { vendorId: 'Lone Star Framing', invoiceNumber: 'ls-1', amount: 18_000, poNumber: framing.number }
  const byNumber = await desk.run('matchInvoice', named)
  expect(byNumber).toMatchObject({
    match: { number: framing.number, matchedOn: 'number', done: 0 },
    duplicates: [{ invoiceNumber: 'LS-1', amount: 18_000, isSameInvoice: true }],
  })
  expect(byNumber.differences[0]).toMatch(/^Invoice ls-1 is already recorded as PM-/)
})

test('requestLienWaivers requests all of the lien waivers or none', async () => {
  const [anew, voided] = (await desk.get('/payments?sort=-createdAt')).data
  const refused = await desk.execute('requestLienWaivers', { paymentIds: [anew.number, voided.number] })
  expect(refused.body).toMatchObject({ code: 'conflict', errors: [{ pointer: '/input/paymentIds/1' }] })
  expect((await desk.get('/lien-waivers')).data).toEqual([])
  const { waivers, amount } = await desk.run('requestLienWaivers', { paymentIds: [anew.number] })
  expect(waivers).toMatchObject([{ paymentId: anew.id, waiverType: 'conditional_progress', amount: 18_000 }])
  expect(amount).toBe(18_000)
})

test('findMissingLienWaivers says for each missing lien waiver whether it prevents the closing', async () => {
  const [payment] = (await desk.get('/payments?sort=-createdAt')).data
  expect((await desk.run('findMissingLienWaivers')).payments).toEqual([])
  await desk.move(`/payments/${payment.id}`, 'approved')
  const approved = await desk.run('findMissingLienWaivers', { homeId: 'Lot 1' })
  expect(approved.payments).toMatchObject([
    { number: payment.number, missing: 'conditional_progress', homes: 'Lot 1', blocksClosing: false },
  ])
  expect(approved.payments[0].requestedWaiverId).toMatch(/^lw_/)
  await desk.post(`/payments/${payment.id}/status`, { status: 'paid', overrideReason: 'The waiver is on its way.' })
  expect(await desk.run('findMissingLienWaivers', { communityId: 'JR' })).toMatchObject({
    payments: [{ missing: 'unconditional_progress', requestedWaiverId: null, blocksClosing: true, amount: 18_000 }],
    ...{ amount: 18_000, closingBlockers: 1 },
  })
  expect((await desk.run('findMissingLienWaivers', { homeId: 'Lot 2' })).payments).toEqual([])
})

test('releaseRetainage pays only the retainage of completed work and explains each skipped order', async () => {
  const early = await desk.run('releaseRetainage', { homeId: 'Lot 1' })
  expect(early).toMatchObject({ payments: [], amount: 0 })
  expect(early.heldBack[0].problem.detail).toBe(
    'Cannot release retainage: the home is under construction. Complete the home first.',
  )
  const released = await desk.run('releaseRetainage', { homeId: 'Lot 2', vendorId: 'Lone Star Framing' })
  expect(released).toMatchObject({
    payments: [{ poId: retaining.id, amount: 1000 }],
    ...{ heldBack: [], amount: 1000, truncated: false },
  })
  const waiver = await desk.get(`/lien-waivers/${released.payments[0].lienWaiverId}`)
  expect(waiver).toMatchObject({ waiverType: 'conditional_final', amount: 1000, status: 'requested' })
  expect(await desk.run('releaseRetainage', { homeId: 'Lot 2' })).toMatchObject({ payments: [], heldBack: [] })
})

test('allocateOverhead divides an amount among homes to the cent', async () => {
  const month = desk.day(0).slice(0, 7)
  const shares = async (basis: string, amount = 1000) => {
    const { homes, allocated } = await desk.run('allocateOverhead', { month, amount, basis })
    expect(allocated).toBe(amount)
    return homes.map(({ home, share }: { home: string; share: number }) => [home.slice(0, 5), share])
  }
  expect(await shares('budget')).toEqual([
    ['Lot 1', 750],
    ['Lot 2', 250],
  ])
  expect(await shares('price')).toEqual([
    ['Lot 1', 600],
    ['Lot 2', 400],
  ])
  expect(await shares('equal', 0.01)).toHaveLength(2)
  const byDays = await desk.run('allocateOverhead', { month, amount: 100 })
  expect(byDays.homes.find(({ home }: { home: string }) => home.startsWith('Lot 2')).weight).toBe(1)
  const none = await desk.run('allocateOverhead', { month: '2020-01', amount: 100 })
  expect(none).toMatchObject({ homes: [], allocated: 0 })
})
