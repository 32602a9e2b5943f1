import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
let planId: string
let count = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active' })).id
  planId = (await create('plans', { code: 'P2100', name: 'Pecan' })).id
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })
})
afterAll(() => plumbline.stop())

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

const PDF =
  'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqCjIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbXS9Db3VudCAwPj5lbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgolJUVPRgo='
const sheetOf = (fields: object) =>
  create('drawings', { title: 'Floor plan', discipline: 'architectural', scopes: ['framing'], ...fields })

async function revise(drawingId: string, label: string) {
  const file = await plumbline.post(`/api/ext/attachments?recordId=${drawingId}&fileName=${label}.pdf`, {
    content: PDF,
  })
  const revised = await plumbline.post(`/api/ext/drawings/${drawingId}/revisions`, {
    attachmentId: file.body.id,
    label,
  })
  expect([revised.status, revised.body.detail]).toEqual([200, undefined])
  return revised.body
}

async function addVendor() {
  const { id } = await create('vendors', { companyName: `Framers ${++count}`, email: 'frame@example.com' })
  await plumbline.post(`/api/ext/vendors/${id}/status`, { status: 'active' })
  await plumbline.post(`/api/ext/vendors/${id}/invite`, {})
  return { id, token: { key: (await plumbline.mailedLink(id)).split('/').at(-1) ?? '' } }
}

async function order(homeId: string, vendorId: string, scope = 'framing') {
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 100 }]
  const { id } = await create('purchase-orders', { homeId, vendorId, scope, lines })
  for (const status of ['approved', 'issued'])
    expect((await plumbline.post(`/api/ext/purchase-orders/${id}/status`, { status })).status).toBe(200)
  return (await plumbline.get(`/api/ext/purchase-orders/${id}`)).body
}

const addHome = () => create('homes', { communityId, planId, name: `Lot ${++count}` })
const numbersOf = (body: { data: { sheetNumber: string }[] }) => body.data.map(({ sheetNumber }) => sheetNumber).sort()

test("a home's own drawing replaces the drawing of its plan with the same sheet number", async () => {
  const home = await addHome()
  const ofPlan = await sheetOf({ planId, sheetNumber: 'A-101' })
  await sheetOf({ planId, sheetNumber: 'A-102' })
  const own = await sheetOf({ homeId: home.id, sheetNumber: 'A-101' })
  const { body } = await plumbline.get(`/api/ext/homes/${home.id}/drawings`)
  expect(numbersOf(body)).toEqual(['A-101', 'A-102'])
  expect(body.data.map(({ id }: { id: string }) => id)).toContain(own.id)
  expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(ofPlan.id)
  const twice = { planId, sheetNumber: 'A-101', title: 'Again', discipline: 'other' }
  expect((await plumbline.post('/api/ext/drawings', twice)).status).toBe(409)
  expect((await plumbline.post('/api/ext/drawings', { ...twice, homeId: home.id })).status).toBe(422)
})

test('an issued order keeps its drawing revisions when a drawing is revised', async () => {
  const home = await addHome()
  const drawing = await sheetOf({ homeId: home.id, sheetNumber: 'S-1' })
  await sheetOf({ homeId: home.id, sheetNumber: 'P-1', scopes: ['plumbing'] })
  await revise(drawing.id, 'A')
  const vendor = await addVendor()
  const issued = await order(home.id, vendor.id)
  const frozen = { drawingId: drawing.id, sheetNumber: 'S-1', revision: 1, label: 'A' }
  expect(issued.drawings).toContainEqual(frozen)
  expect(issued.drawings.map((each: { sheetNumber: string }) => each.sheetNumber)).not.toContain('P-1')
  const revised = await revise(drawing.id, 'B')
  expect(revised).toMatchObject({ currentRevision: 2, revisions: [{ label: 'B', supersededAt: null }, { label: 'A' }] })
  expect(revised.revisions[1].supersededAt).not.toBeNull()
  expect((await plumbline.get(`/api/ext/purchase-orders/${issued.id}`)).body.drawings).toContainEqual(frozen)
  const { body: messages } = await plumbline.get('/api/portal/messages', vendor.token)
  expect(messages.data.map(({ content }: { content: { subject: string } }) => content.subject)).toEqual([
    'Drawing S-1 was revised',
  ])
})

test('a vendor can see only drawings for the homes and trades of its own issued orders', async () => {
  const [home, otherHome] = [await addHome(), await addHome()]
  const drawing = await sheetOf({ homeId: home.id, sheetNumber: 'S-2' })
  await revise(drawing.id, 'A')
  const [vendor, other, plumber] = [await addVendor(), await addVendor(), await addVendor()]
  await order(home.id, vendor.id)
  await order(otherHome.id, other.id)
  await order(home.id, plumber.id, 'plumbing')
  const seenBy = async ({ token }: { token: { key: string } }) => {
    const { body } = await plumbline.get('/api/portal/drawings', token)
    const file = await plumbline.get(`/api/portal/drawings/${drawing.id}/content`, token)
    return [numbersOf(body).includes('S-2'), file.status]
  }
  expect(await seenBy(vendor)).toEqual([true, 200])
  expect(await seenBy(other)).toEqual([false, 404])
  expect(await seenBy(plumber)).toEqual([false, 404])
})

test('the file of a drawing revision must be attached to the drawing', async () => {
  const home = await addHome()
  const [drawing, other] = [
    await sheetOf({ homeId: home.id, sheetNumber: 'S-3' }),
    await sheetOf({ homeId: home.id, sheetNumber: 'S-4' }),
  ]
  const { body: file } = await plumbline.post(`/api/ext/attachments?recordId=${other.id}&fileName=A.pdf`, {
    content: PDF,
  })
  const revision = { attachmentId: file.id, label: 'A' }
  expect((await plumbline.post(`/api/ext/drawings/${drawing.id}/revisions`, revision)).status).toBe(422)
})
