import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { notifyPunchAssignments } from './notify-assignments.ts'

let plumbline: TestPlumbline
let communityId: string
let homeId: string
let vendorId: string
let portalUrl: string
let count = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active' })).id
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  homeId = (await create('homes', { communityId, name: `Lot ${++count}` })).id
  vendorId = await addVendor()
  portalUrl = await plumbline.mailedLink(vendorId)
})

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

async function addVendor(): Promise<string> {
  const { id } = await create('vendors', { companyName: `Painters ${++count}`, email: 'fix@example.com' })
  await plumbline.post(`/api/ext/vendors/${id}/invite`, {})
  return id
}

const add = (fields: object = {}) =>
  create('punch-items', { homeId, description: 'The pantry door does not close.', ...fields })
const addAssigned = (fields: object = {}) => add({ vendorId, dueDate: '2099-01-15', ...fields })
const move = (id: string, body: object) => plumbline.post(`/api/ext/punch-items/${id}/status`, body)
const read = async (id: string) => (await plumbline.get(`/api/ext/punch-items/${id}`)).body
const tokenOf = (url: string) => ({ key: url.split('/').at(-1) ?? '' })
const answer = (id: string, body: object, url = portalUrl) =>
  plumbline.post(`/api/portal/punch-items/${id}/answer`, body, tokenOf(url))
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGPomLmKAYSgFAAAK1IGP0FG2OAAAAAASUVORK5CYII='
const upload = (id: string, content = PNG, url = portalUrl) =>
  plumbline.post(`/api/portal/punch-items/${id}/photos?fileName=Done.png`, { content }, tokenOf(url))
const page = (path: string, init: RequestInit = {}) =>
  fetch(`${plumbline.url}${new URL(portalUrl).pathname}${path}`, { redirect: 'manual', ...init })

test('a new punch item gets the next number in its home', async () => {
  const first = await add()
  const second = await addAssigned()
  expect([first.number, second.number]).toEqual(['P-1', 'P-2'])
})

test('a new punch item is assigned only if it has a vendor and a due date', async () => {
  const [open, assigned] = [await add(), await addAssigned()]
  expect([open.status, open.assignedAt]).toEqual(['open', null])
  expect([assigned.status, assigned.communityId]).toEqual(['assigned', communityId])
})

test('a punch item can be assigned only with a vendor and a due date', async () => {
  const item = await add()
  expect(await move(item.id, { status: 'assigned', vendorId })).toMatchObject({
    ...{ status: 409, body: { reason: 'missing_data' } },
  })
  expect(await move(item.id, { status: 'assigned', dueDate: '2099-01-15' })).toMatchObject({
    ...{ status: 409, body: { reason: 'missing_data' } },
  })
  expect(await move(item.id, { status: 'assigned', vendorId, dueDate: '2099-01-15' })).toMatchObject({ status: 200 })
})

test('a vendor can report a punch item as fixed only after uploading a photo', async () => {
  const item = await addAssigned()
  expect(await answer(item.id, { answer: 'fixed' })).toMatchObject({ status: 409, body: { reason: 'photo_required' } })
  expect(await upload(item.id, Buffer.from('not a photo').toString('base64'))).toMatchObject({ status: 422 })
  expect(await upload(item.id)).toMatchObject({ status: 200, body: { stage: 'after', from: 'vendor' } })
  expect(await answer(item.id, { answer: 'fixed' })).toMatchObject({ status: 200, body: { status: 'fixed' } })
  expect(await upload(item.id)).toMatchObject({ status: 409, body: { reason: 'wrong_status' } })
  expect(await move(item.id, { status: 'verified' })).toMatchObject({ status: 200, body: { status: 'verified' } })
})

test('a vendor cannot verify a punch item', async () => {
  const item = await addAssigned()
  const { status } = await plumbline.post(
    `/api/ext/punch-items/${item.id}/status`,
    { status: 'verified' },
    tokenOf(portalUrl),
  )
  expect([status, (await read(item.id)).status]).toEqual([401, 'assigned'])
  expect((await answer(item.id, { answer: 'verified' })).status).toBe(422)
})

test('rejecting a fix of a punch item shows the reason to the vendor', async () => {
  const item = await addAssigned()
  await upload(item.id)
  await answer(item.id, { answer: 'fixed' })
  expect((await move(item.id, { status: 'assigned' })).status).toBe(422)
  const reopened = await move(item.id, { status: 'assigned', reason: 'The door still sticks.' })
  expect(reopened.body).toMatchObject({ status: 'assigned', reopenedCount: 1, fixedAt: null })
  const html = await (await page(`/${item.id}`)).text()
  expect(html).toContain('The door still sticks.')
})

test('a vendor can promise only a future date for a punch item', async () => {
  const item = await addAssigned()
  expect((await answer(item.id, { answer: 'will_fix', date: '2001-01-01' })).status).toBe(422)
  expect((await answer(item.id, { answer: 'will_fix', date: '2099-01-10' })).body.plannedDate).toBe('2099-01-10')
})

test('a disputed punch item is returned to the builder', async () => {
  const item = await addAssigned()
  expect((await answer(item.id, { answer: 'disputed' })).status).toBe(422)
  expect((await answer(item.id, { answer: 'disputed', reason: 'The drywall crew did it.' })).status).toBe(200)
  expect(await read(item.id)).toMatchObject({
    ...{ status: 'open', vendorId: null, plannedDate: null, disputeNote: 'The drywall crew did it.' },
  })
  expect((await answer(item.id, { answer: 'fixed' })).status).toBe(404)
})

test('a vendor can see only its own punch items and their photos', async () => {
  const item = await addAssigned()
  const photo = (await upload(item.id)).body
  const otherUrl = await plumbline.mailedLink(await addVendor())
  const other = tokenOf(otherUrl)
  expect((await plumbline.get('/api/portal/punch-items', other)).body.data).toEqual([])
  const paths = [`/${item.id}`, `/${item.id}/photos/${photo.id}/content`]
  for (const path of paths) {
    expect((await plumbline.get(`/api/portal/punch-items${path}`, other)).status).toBe(404)
    expect((await plumbline.get(`/api/portal/punch-items${path}`, tokenOf(portalUrl))).status).toBe(200)
  }
  expect((await answer(item.id, { answer: 'will_fix', date: '2099-01-10' }, otherUrl)).status).toBe(404)
  expect((await upload(item.id, PNG, otherUrl)).status).toBe(404)
})

test('a vendor can report a fix with its photo in one form of the portal page', async () => {
  const item = await addAssigned({ location: 'Pantry <1>' })
  const overview = await (await page('')).text()
  expect(overview).toContain('Items to fix')
  expect(overview).toContain('Pantry &lt;1&gt;')
  const form = new FormData()
  form.set('answer', 'fixed')
  form.set('version', String(item.version))
  form.set('file', new Blob([Buffer.from(PNG, 'base64')], { type: 'image/png' }), 'Done.png')
  expect((await page(`/${item.id}`, { method: 'POST', body: form })).status).toBe(303)
  expect((await read(item.id)).status).toBe('fixed')
  expect(await (await page(`/${item.id}`)).text()).toContain('The builder will check it.')
})

test('a punch item can have only one backcharge that is not void', async () => {
  const item = await addAssigned({ scope: 'painting' })
  const backcharge = () => plumbline.post(`/api/ext/punch-items/${item.id}/backcharge`, { amount: 180 })
  const answers = await Promise.all([backcharge(), backcharge()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const { backchargeOrderId } = await read(item.id)
  expect((await plumbline.get(`/api/ext/purchase-orders/${backchargeOrderId}`)).body).toMatchObject({
    ...{ poType: 'backcharge', total: -180, vendorId, punchItemId: item.id, status: 'draft' },
  })
  expect(await backcharge()).toMatchObject({ status: 409, body: { reason: 'already_done' } })
  await plumbline.post(`/api/ext/purchase-orders/${backchargeOrderId}/status`, { status: 'void' })
  expect((await backcharge()).status).toBe(200)
})

test('a vendor receives one message about all new punch items of a home', async () => {
  await addAssigned({ description: 'Touch up the hall.' })
  await addAssigned({ description: 'Repaint the ceiling.' })
  const messages = async () => {
    const { body } = await plumbline.get(`/api/portal/messages`, tokenOf(portalUrl))
    return body.data as { content: { body: string } }[]
  }
  await notifyPunchAssignments(plumbline.app.services)
  expect(await messages()).toEqual([])
  plumbline.clock.advance(16 * 60_000)
  await notifyPunchAssignments(plumbline.app.services)
  await notifyPunchAssignments(plumbline.app.services)
  const [message, ...others] = await messages()
  expect(others).toEqual([])
  expect(message?.content.body).toContain('Touch up the hall.')
  expect(message?.content.body).toContain('Repaint the ceiling.')
})

test("a builder cannot see another builder's punch items", async () => {
  const item = await add()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/punch-items/${item.id}`, { key })).status).toBe(404)
  expect((await plumbline.get('/api/ext/punch-items', { key })).body.data).toEqual([])
})
