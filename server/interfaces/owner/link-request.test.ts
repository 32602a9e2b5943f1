import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** An owner who lost the link gets a new link by email, and nobody learns whether the service knows an address. */
const EMAIL = 'dana@whitfield.example.com'

let mailServer: MailServer
let plumbline: TestPlumbline
let communityId: string
let ownerId: string
/** Path of the link that the builder mailed. */
let root: string

beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  communityId = (await created('communities', { name: 'Juniper Ridge', status: 'active' })).id
  ownerId = await sellHome('Lot 15', EMAIL)
  root = await invite(ownerId, EMAIL)
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

async function created(path: string, body: object) {
  const response = await plumbline.post(`/api/ext/${path}`, body)
  expect([path, response.status]).toEqual([path, 201])
  return response.body
}

/** Sells a home and returns the ID of its owner. */
async function sellHome(name: string, email: string): Promise<string> {
  const { id: homeId } = await created('homes', { communityId, name, basePrice: 400_000 })
  const sale = { homeId, buyers: [{ name: 'Dana Whitfield', email }], basePrice: 400_000 }
  const { id } = await created('sales', sale)
  await plumbline.post(`/api/ext/sales/${id}/approve`, {})
  const { body } = await plumbline.get(`/api/ext/home-owners?homeId=${homeId}`)
  return body.data[0].id
}

async function invite(id: string, email: string): Promise<string> {
  expect((await plumbline.post(`/api/ext/home-owners/${id}/invitation`)).status).toBe(200)
  return readMailedPath(email)
}

/** Returns the path of the link in the next email to an address. */
async function readMailedPath(email: string): Promise<string> {
  const { source } = await mailServer.next(email)
  const url = /http\S+\/owner\/\S+/.exec(source.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0] ?? ''
  return new URL(url).pathname
}

const visit = (path: string, init: RequestInit = {}) => fetch(plumbline.url + path, { redirect: 'manual', ...init })
const send = (path: string, fields: Record<string, string>) =>
  visit(path, { method: 'POST', body: new URLSearchParams(fields) })

async function requestLink(email: string): Promise<string> {
  expect((await send('/owner', { email })).headers.get('location')).toBe('/owner?done=sent')
  return readMailedPath(email)
}

test('an owner who lost the link opens the page with a new link, which replaces the previous one', async () => {
  expect(await (await visit('/owner')).text()).toContain('Send me a new link')
  const path = await requestLink(EMAIL)
  expect(path).toMatch(/^\/owner\/new\/lnk_/)
  // A program that opens the link does not use it up, and the previous link still works.
  expect(await (await visit(path)).text()).toContain('Open my page')
  expect((await visit(root)).status).toBe(200)
  const location = (await send(path, {})).headers.get('location') ?? ''
  expect(location).toMatch(/^\/owner\/own_/)
  expect((await visit(location)).status).toBe(200)
  expect((await visit(root)).status).toBe(410)
  expect((await send(path, {})).headers.get('location')).toBe('/owner?done=used')
  root = location
})

test('a requested link of an owner expires after one hour', async () => {
  const path = await requestLink(EMAIL)
  plumbline.clock.advance(3_600_001)
  expect((await visit(path)).headers.get('location')).toBe('/owner?done=used')
  expect((await send(path, {})).headers.get('location')).toBe('/owner?done=used')
  expect(await (await visit('/owner?done=used')).text()).toContain('no longer valid')
})

test('an owner with two homes receives a link for each home', async () => {
  const email = 'omar@reyes.example.com'
  for (const name of ['Lot 16', 'Lot 17']) await invite(await sellHome(name, email), email)
  await send('/owner', { email })
  const paths = [await readMailedPath(email), await readMailedPath(email)]
  expect(new Set(paths).size).toBe(2)
})

test('the response is the same for strangers, former owners, and owners who were never invited', async () => {
  const [never, former] = ['never@example.com', 'former@example.com']
  await sellHome('Lot 18', never)
  const id = await sellHome('Lot 19', former)
  await invite(id, former)
  await plumbline.post(`/api/ext/home-owners/${id}/revocation`)
  const { version } = (await plumbline.get(`/api/ext/home-owners/${id}`)).body
  expect(
    (await plumbline.delete(`/api/ext/home-owners/${id}`, { headers: { 'If-Match': `"${version}"` } })).status,
  ).toBe(204)
  await plumbline.app.services.ownerLinkRequests.stop()
  const isRequested = ({ source }: { source: string }) => source.includes('/owner/new/')
  const before = mailServer.received.filter(isRequested).length
  const answers = []
  for (const email of [never, former, 'stranger@example.com', EMAIL.toUpperCase()]) {
    const response = await send('/owner', { email })
    answers.push([response.status, response.headers.get('location'), await response.text()])
  }
  expect(new Set(answers.map(String)).size).toBe(1)
  await readMailedPath(EMAIL)
  await plumbline.app.services.ownerLinkRequests.stop()
  expect(mailServer.received.filter(isRequested).length - before).toBe(1)
  expect((await send('/owner', { email: 'nobody' })).headers.get('location')).toBe('/owner?done=wrong')
})

test('a link that was requested before the builder revoked the access opens nothing', async () => {
  const path = await requestLink(EMAIL)
  await plumbline.post(`/api/ext/home-owners/${ownerId}/revocation`)
  expect((await send(path, {})).headers.get('location')).toBe('/owner?done=used')
})

test('the page of a link that no longer works offers a new link without naming a builder', async () => {
  const response = await visit(root)
  const html = await response.text()
  expect(response.status).toBe(410)
  expect(html).toContain('action="/owner"')
  expect(html).not.toContain('Juniper Ridge')
})
