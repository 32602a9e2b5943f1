import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
let root: string
let taskId: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  const post = async (path: string, body?: object) =>
    (await plumbline.post(`/api/ext${path}`, body, { key: site.key })).body
  await post(`/vendors/${site.loneStar}/invite`)
  root = new URL(await plumbline.mailedLink(site.loneStar)).pathname
  const planned = { homeId: site.lot15, name: 'Walls framed', plannedStart: site.day(20), vendorId: site.loneStar }
  taskId = (await post('/tasks', planned)).id
  await post(`/tasks/${taskId}/confirmation/request`)
})
afterAll(() => plumbline.stop())

const send = (path: string, fields: Record<string, string>) =>
  fetch(plumbline.url + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
const page = async (path: string) => (await fetch(plumbline.url + path)).text()
const countFeeds = async () =>
  (await plumbline.get(`/api/ext/calendar-feeds?vendorId=${site.loneStar}`, { key: site.key })).body.data.length

test("the dates in a vendor's portal calendar are tentative until the vendor confirms them", async () => {
  const once = /name="once" value="([^"]+)"/.exec(await page(`${root}/dates`))?.[1] ?? ''
  const [location = '', repeated] = await Promise.all(
    [1, 2].map(async () => (await send(`${root}/dates`, { once })).headers.get('location') ?? ''),
  )
  expect(location).toBe(repeated)
  expect(await countFeeds()).toBe(1)
  const html = await page(location)
  const url = /href="webcal:([^"]+)"/.exec(html)?.[1] ?? ''
  const calendar = () => page(new URL(`http:${url}`).pathname)
  expect(await calendar()).toContain('STATUS:TENTATIVE')
  await send(`${root}/${taskId}`, { answer: 'confirmed' })
  expect(await calendar()).toContain('STATUS:CONFIRMED')
  // Only the URL to which the form redirects shows the calendar's link.
  expect(await page(`${root}/dates`)).not.toContain('webcal:')
  expect(await page(`${root}/dates?calendar=forged`)).not.toContain('webcal:')
})

test('a portal calendar stops working when the portal link that created it ends', async () => {
  const create = async () => {
    root = new URL(await plumbline.mailedLink(site.loneStar)).pathname
    const key = root.split('/').at(-1) ?? ''
    const { url } = (await plumbline.post('/api/portal/calendar-feeds', undefined, { key })).body
    return async () => (await fetch(plumbline.url + new URL(url).pathname)).status
  }
  const office = (path: string) =>
    plumbline.post(`/api/ext/vendors/${site.loneStar}/${path}`, undefined, { key: site.key })
  const first = await create()
  expect(await first()).toBe(200)
  await office('revoke-portal')
  expect(await first()).toBe(410)
  plumbline.clock.advance(1000)
  await office('invite')
  const second = await create()
  expect([await first(), await second()]).toEqual([410, 200])
  plumbline.clock.advance(181 * 86_400_000)
  expect(await second()).toBe(410)
})

test('a link to a single invitation cannot create a calendar', async () => {
  const { body } = await plumbline.post('/api/ext/bids/request', site.framing(), { key: site.key })
  const key = (await plumbline.mailedLink(body.invitations[0].id)).split('/').at(-1) ?? ''
  expect((await plumbline.post('/api/portal/calendar-feeds', undefined, { key })).status).toBe(404)
})
