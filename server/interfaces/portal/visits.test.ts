import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let homeId: string
let count = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active' })).id
  homeId = (await create('homes', { communityId, name: 'Lot 15' })).id
})
afterAll(() => plumbline.stop())

async function create(path: string, fields: object) {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

/** Schedules a visit by a new vendor for one warranty request. */
async function schedule() {
  const { id: vendorId } = await create('vendors', { companyName: `Plumbers ${++count}`, email: 'fix@example.com' })
  await plumbline.post(`/api/ext/vendors/${vendorId}/invite`, {})
  const url = await plumbline.mailedLink(vendorId)
  const request = await create('warranty-requests', { homeId, description: 'The faucet <drips>.' })
  const path = `/api/ext/warranty-requests/${request.id}`
  await plumbline.post(`${path}/decision`, { decision: 'goodwill' })
  await plumbline.post(`${path}/assignment`, { vendorId })
  const visit = await create('visits', { requestIds: [request.id], date: '2099-12-02', window: 'am' })
  const page = (below: string, init: RequestInit = {}) =>
    fetch(`${plumbline.url}${new URL(url).pathname}${below}`, { redirect: 'manual', ...init })
  return { visit, request, page, token: { key: url.split('/').at(-1) ?? '' } }
}

const statusOf = async (requestId: string) =>
  (await plumbline.get(`/api/ext/warranty-requests/${requestId}`)).body.status
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGPomLmKAYSgFAAAK1IGP0FG2OAAAAAASUVORK5CYII='

test('completing a service visit requires a photo and completes the warranty requests of the visit', async () => {
  const { visit, request, page, token } = await schedule()
  expect(await (await page('')).text()).toContain('Service visits')
  const html = await (await page(`/${visit.id}`)).text()
  expect(html).toContain('The faucet &lt;drips&gt;.')
  const confirm = { method: 'POST', body: new URLSearchParams({ answer: 'confirmed', version: '1' }) }
  expect((await page(`/${visit.id}`, confirm)).status).toBe(303)
  expect(await plumbline.post(`/api/portal/service-visits/${visit.id}/complete`, {}, token)).toMatchObject({
    ...{ status: 409, body: { reason: 'photo_required' } },
  })
  const form = new FormData()
  form.set('answer', 'done')
  form.set('version', '2')
  form.set('file', new Blob([Buffer.from(PNG, 'base64')], { type: 'image/png' }), 'Done.png')
  expect((await page(`/${visit.id}`, { method: 'POST', body: form })).status).toBe(303)
  expect((await plumbline.get(`/api/ext/visits/${visit.id}`)).body.status).toBe('done')
  expect(await statusOf(request.id)).toBe('completed')
})

test('declining a service visit cancels it and returns its warranty requests to the status assigned', async () => {
  const { visit, request, token } = await schedule()
  const answer = (body: object) => plumbline.post(`/api/portal/service-visits/${visit.id}/answer`, body, token)
  expect((await answer({ answer: 'declined' })).status).toBe(422)
  expect((await answer({ answer: 'declined', note: 'We are booked.' })).body).toMatchObject({
    ...{ status: 'cancelled', vendorNote: 'We are booked.', canComplete: false },
  })
  expect(await statusOf(request.id)).toBe('assigned')
})

test('a vendor can see only its own service visits', async () => {
  const { visit } = await schedule()
  const { token } = await schedule()
  expect((await plumbline.get(`/api/portal/service-visits/${visit.id}`, token)).status).toBe(404)
  const body = { answer: 'confirmed' }
  expect((await plumbline.post(`/api/portal/service-visits/${visit.id}/answer`, body, token)).status).toBe(404)
  const { body: listed } = await plumbline.get('/api/portal/service-visits', token)
  expect(listed.data.length).toBe(1)
})
