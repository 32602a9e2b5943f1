import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { updateOrganization } from '../../office/organizations/organizations.ts'

let plumbline: TestPlumbline
let site: Site
let vendorId: string
let orderId: string
let lots = 0
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
beforeEach(async () => {
  const vendor = { companyName: `Waiving {{Framing}} ${crypto.randomUUID()}`, lienWaiverRequired: true }
  vendorId = (await made('/vendors', vendor)).id
  orderId = await newOrder(10)
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const post = (path: string, body: object, key = site.key) => plumbline.post(`/api/ext${path}`, body, { key })
const get = async (path: string): Promise<Body> => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const made = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const moved = async (path: string, body: object): Promise<Body> => {
  const answer = await post(path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}
const newOrder = async (retainagePercent: number): Promise<string> => {
  const home = {
    name: 'Lot 41',
    lotNumber: `${++lots}`,
    communityId: site.communityId,
    address: { line1: '12 Elm St', city: 'Austin' },
  }
  const { id: homeId } = await made('/homes', home)
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 100 }]
  const { id } = await made('/purchase-orders', { homeId, vendorId, scope: 'framing', retainagePercent, lines })
  for (const status of ['approved', 'issued']) await moved(`/purchase-orders/${id}/status`, { status })
  await moved(`/purchase-orders/${id}/progress`, { completedPercent: 100 })
  return id
}
const pay = (body: object = {}) => made('/payments', { poId: orderId, ...body })
const request = (paymentId: string, body: object = {}) => made(`/payments/${paymentId}/lien-waivers`, body)
const sign = (id: string) => moved(`/lien-waivers/${id}/status`, { status: 'signed', signedBy: 'Dana Whitfield' })
const settle = async (id: string, more: object = {}) => {
  await moved(`/payments/${id}/status`, { status: 'approved' })
  return moved(`/payments/${id}/status`, { status: 'paid', ...more })
}
const refused = async (path: string, body: object, key?: string) => {
  const answer = await post(path, body, key)
  return [answer.status, answer.body.reason ?? answer.body.permission]
}

test('a lien waiver that was signed on paper can be recorded and accepted', async () => {
  const payment = await pay({ grossAmount: 50, invoiceDate: site.day(-3) })
  const first = await request(payment.id)
  const waiver = await request(payment.id, { exceptions: 'Change order 3' })
  expect([waiver.id, waiver.version]).toEqual([first.id, 2])
  expect(waiver).toMatchObject({
    ...{ paymentId: payment.id, vendorId, poId: orderId, homeId: payment.homeId, waiverType: 'conditional_progress' },
    ...{
      status: 'requested',
      throughDate: site.day(-3),
      amount: 45,
      textSha256: null,
      signedBy: null,
      signedVia: null,
    },
  })
  const { number } = await get(`/purchase-orders/${orderId}`)
  for (const part of [
    `Property: 12 Elm St, Austin. Lot: ${lots}. Community: Juniper Ridge.`,
    `Order: ${number}.`,
    '$45.00',
    payment.number,
  ])
    expect(waiver.text).toContain(part)
  expect(waiver.text).toContain('Other exceptions: Change order 3.')
  expect(waiver.text).toContain('Vendor: Waiving {{Framing}}')

  const path = `/lien-waivers/${waiver.id}/status`
  const signed = await moved(path, { status: 'signed', signedBy: 'Dana Whitfield', signedOn: site.day(-1) })
  expect(signed.text).toBe(`${waiver.text}\n\nSigned by Dana Whitfield on ${formatDate(site.day(-1))}.`)
  expect(signed.textSha256).toBe(createHash('sha256').update(signed.text).digest('hex'))
  expect(signed).toMatchObject({ status: 'signed', signedVia: 'paper', signedOn: site.day(-1) })
  expect((await get(`/payments/${payment.id}`)).lienWaiverId).toBe(waiver.id)
  const again = await post(`/payments/${payment.id}/lien-waivers`, {})
  expect([again.status, again.body.reason, again.body.detail]).toEqual([
    ...[409, 'already_done'],
    expect.stringContaining(waiver.id),
  ])
  const accepted = await moved(path, { status: 'accepted' })
  expect(accepted).toMatchObject({ status: 'accepted', text: signed.text, textSha256: signed.textSha256 })
  expect((await post(path, { status: 'signed', signedBy: 'Somebody' })).body.code).toBe('invalid_transition')
  expect(await get(`/lien-waivers/${waiver.id}`)).toEqual(accepted)
  for (const filter of [`paymentId=${payment.id}`, `vendorId=${vendorId}`, `homeId=${payment.homeId}&status=accepted`])
    expect((await get(`/lien-waivers?${filter}`)).data).toEqual([accepted])
})

test('the type of a lien waiver depends on the payment status and the remaining retainage', async () => {
  const kinds: string[] = []
  const ask = async (id: string) => {
    const waiver = await request(id)
    kinds.push(waiver.waiverType)
    await sign(waiver.id)
  }
  const bothOf = async (body: object) => {
    const { id } = await pay(body)
    await ask(id)
    await settle(id)
    await ask(id)
  }
  await bothOf({ paymentType: 'final' })
  await bothOf({ paymentType: 'retainage_release' })
  await bothOf({ poId: await newOrder(0), paymentType: 'final' })
  expect(kinds).toEqual([
    ...['conditional_progress', 'unconditional_progress', 'conditional_final', 'unconditional_final'],
    ...['conditional_final', 'unconditional_final'],
  ])
})

test('if a lien waiver is required, paying before it is signed requires an override reason', async () => {
  const { id, number } = await pay({ grossAmount: 10 })
  await moved(`/payments/${id}/status`, { status: 'approved' })
  const path = `/payments/${id}/status`
  expect((await post(path, { status: 'paid' })).body).toMatchObject({
    ...{ status: 409, reason: 'needs_override' },
    detail: expect.stringContaining(`has not signed a lien waiver for ${number}. Request one with requestLienWaiver.`),
  })
  const clerk = await plumbline.newKey(['payments:read', 'payments:write'], site.organizationId)
  const overriding = { status: 'paid', overrideReason: 'It comes by mail.' }
  expect(await refused(path, overriding, clerk)).toEqual([403, 'pos:write'])
  const waiver = await request(id)
  expect((await refused(path, { status: 'paid' }))[0]).toBe(409)
  await sign(waiver.id)
  await moved(`/lien-waivers/${waiver.id}/status`, { status: 'rejected', reason: 'It names the wrong lot.' })
  expect((await get(`/payments/${id}`)).lienWaiverId).toBeNull()
  expect((await refused(path, { status: 'paid' }))[0]).toBe(409)
  await sign((await request(id)).id)
  expect(await moved(path, { status: 'paid' })).toMatchObject({ status: 'paid' })
  const other = await pay({ grossAmount: 10 })
  await settle(other.id, { overrideReason: 'It comes by mail.' })
  expect((await get(`/status-changes?resourceId=${other.id}&sort=-at`)).data[0].reason).toBe(
    'Lien waiver missing. Overridden: It comes by mail.',
  )
})

test("the order's lien waiver setting takes precedence over the vendor's and the organization's setting", async () => {
  const { database, clock } = plumbline
  const without = async () => {
    const { id } = await pay({ grossAmount: 1 })
    await moved(`/payments/${id}/status`, { status: 'approved' })
    const [status] = await refused(`/payments/${id}/status`, { status: 'paid' })
    return status === 200 ? 'paid' : 'waits'
  }
  const set = (path: string, lienWaiverRequired: boolean | null) =>
    plumbline.patch(`/api/ext${path}`, { lienWaiverRequired }, { key: site.key })
  const [order, vendor] = [`/purchase-orders/${orderId}`, `/vendors/${vendorId}`]
  const unsaid = await made('/vendors', { companyName: 'Says nothing' })
  expect([(await get(order)).lienWaiverRequired, unsaid.lienWaiverRequired]).toEqual([null, null])
  expect(await without()).toBe('waits')
  expect((await set(order, false)).body.lienWaiverRequired).toBe(false)
  expect(await without()).toBe('paid')
  await set(order, null)
  await set(vendor, null)
  expect(await without()).toBe('paid')
  await updateOrganization(database, clock, site.organizationId, { lienWaiverRequired: true })
  expect(await without()).toBe('waits')
  await set(vendor, false)
  expect(await without()).toBe('paid')
  await set(order, true)
  expect(await without()).toBe('waits')
  // A payment of several orders requires a lien waiver if one of the orders requires one. A payment run checks each
  // order separately.
  const other = await newOrder(0)
  const { id } = await made('/payments', { allocations: [orderId, other].map((poId) => ({ poId, amount: 1 })) })
  await moved(`/payments/${id}/status`, { status: 'approved' })
  expect(await refused(`/payments/${id}/status`, { status: 'paid' })).toEqual([409, 'needs_override'])
  const { skipped } = await made('/payment-runs', { throughDate: site.day(40), vendorIds: [vendorId] })
  expect(skipped.filter(({ reason }: Body) => reason === 'waiver_missing')).toMatchObject([{ poId: orderId }])
  await updateOrganization(database, clock, site.organizationId, { lienWaiverRequired: false })
})

test('a payment run skips orders with an earlier payment that has no unconditional lien waiver', async () => {
  const { id } = await pay({ grossAmount: 10 })
  await settle(id, { overrideReason: 'It comes by mail.' })
  const run = () => made('/payment-runs', { vendorIds: [vendorId], throughDate: site.day(40) })
  expect((await run()).skipped).toMatchObject([{ poId: orderId, reason: 'waiver_missing', amount: 81 }])
  await sign((await request(id)).id)
  expect(await run()).toMatchObject({ amount: 81, skipped: [] })
})

test('voiding or rejecting a payment voids its lien waivers', async () => {
  const voided = await pay({ grossAmount: 10 })
  const waiver = await request(voided.id)
  await sign(waiver.id)
  const body = await moved(`/payments/${voided.id}/void`, { reason: 'The check was lost.' })
  expect(body).toMatchObject({ status: 'voided', lienWaiverId: null })
  expect((await get(`/lien-waivers/${waiver.id}`)).status).toBe('void')
  const rejected = await pay({ grossAmount: 10 })
  const requested = await request(rejected.id)
  await moved(`/payments/${rejected.id}/status`, { status: 'rejected', reason: 'Not owed.' })
  expect((await get(`/lien-waivers/${requested.id}`)).status).toBe('void')
  expect((await refused(`/payments/${rejected.id}/lien-waivers`, {}))[1]).toBe('wrong_status')
  const history = await get(`/status-changes?resourceId=${requested.id}&sort=at`)
  expect(history.data.map(({ to, reason }: Body) => [to, reason])).toEqual([
    ['requested', null],
    ['void', `${rejected.number} was rejected.`],
  ])
})

test('invalid fields and status changes of a lien waiver are reported at their fields', async () => {
  const { id } = await pay({ grossAmount: 10 })
  const pointers = async (path: string, body: object) => {
    const { status, body: problem } = await post(path, body)
    expect(status, JSON.stringify(problem)).toBe(422)
    return problem.errors.map(({ pointer, code }: Body) => `${pointer} ${code}`)
  }
  expect(await pointers(`/payments/${id}/lien-waivers`, { text: 'For {{payment.sum}}.' })).toEqual([
    '/text unknown_placeholder',
  ])
  const waiver = await request(id, {
    text: '{{vendor.companyName}} waives {{ payment.amount }}. Exceptions: {{waiver.exceptions}}.',
  })
  expect(waiver.text).toMatch(/ waives \$9\.00\. Exceptions: none\.$/)
  const path = `/lien-waivers/${waiver.id}/status`
  expect(await pointers(path, { status: 'signed' })).toEqual(['/signedBy required'])
  expect(await pointers(path, { status: 'signed', signedBy: 'Dana', signedOn: site.day(1) })).toEqual([
    '/signedOn maximum',
  ])
  expect(await pointers(path, { status: 'void' })).toEqual(['/reason required'])
  expect(await pointers(path, { status: 'void', reason: 'Not needed.', signedBy: 'Dana' })).toEqual([
    '/signedBy exclusive',
  ])
})
