import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Tests the links in an invitation with which a vendor says whether it will bid. */
let mailServer: MailServer
let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  site = await buildSite(plumbline)
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

const EMAIL = 'bids@lonestarframingllc.example.com'

async function invite(): Promise<{ request: ServiceResponse['body']; yes: string; no: string }> {
  const { body: request } = await plumbline.post('/api/ext/bids/request', site.framing(), { key: site.key })
  const [yes = '', no = ''] = await nextLinks()
  return { request, yes, no }
}

/** Returns the paths of the response links in the next email. */
async function nextLinks(): Promise<string[]> {
  const { source } = await mailServer.next(EMAIL)
  const urls = source.replaceAll('=\r\n', '').match(/http\S+\/(will-bid|pass)(?=\s)/g) ?? []
  return urls.map((url) => new URL(url).pathname)
}

const visit = (path: string) => fetch(plumbline.url + path, { redirect: 'manual' })
const statusOf = async ({ id }: { id: string }) =>
  (await plumbline.get(`/api/ext/bids/requests/${id}`, { key: site.key })).body.invitations[0].status

/** Presses the button on a confirmation page. */
async function confirm(html: string, more: Record<string, string> = {}): Promise<Response> {
  const action = /<form class="sheet in" method="post" action="([^"]+)"/.exec(html)?.[1] ?? ''
  const answer = /name="answer" value="([^"]+)"/.exec(html)?.[1] ?? ''
  const body = new URLSearchParams({ answer, ...more })
  return fetch(plumbline.url + action, { method: 'POST', body, redirect: 'manual' })
}

test('opening the link "We’ll bid" in the email changes nothing until the vendor confirms', async () => {
  const { request, yes } = await invite()
  const html = await (await visit(yes)).text()
  expect(await statusOf(request)).not.toBe('will_bid')
  expect((await confirm(html)).status).toBe(303)
  expect(await statusOf(request)).toBe('will_bid')
})

test('the link "No, we’ll pass" in the email asks for a reason before it records the response', async () => {
  const { request, no } = await invite()
  await confirm(await (await visit(no)).text(), { reason: 'Fully booked' })
  const { body } = await plumbline.get(`/api/ext/bids/requests/${request.id}`, { key: site.key })
  expect(body.invitations[0]).toMatchObject({ status: 'declined', declineReason: 'Fully booked' })
})

test('a bid reminder email has the same response links as the invitation email', async () => {
  const { request, yes } = await invite()
  await plumbline.post(`/api/ext/bids/requests/${request.id}/remind`, undefined, { key: site.key })
  expect(await nextLinks()).toContain(yes)
})

test('after bidding has closed, the response links in an email open the bid request', async () => {
  const { request, yes } = await invite()
  await plumbline.post(`/api/ext/bids/requests/${request.id}/close`, undefined, { key: site.key })
  const shown = await visit(yes)
  expect([shown.status, shown.headers.get('location')]).toEqual([303, expect.stringMatching(/\/inv_\w+$/)])
})

test("a link to the vendor's whole portal has no page for confirming a response to an invitation", async () => {
  await plumbline.post(`/api/ext/vendors/${site.loneStar}/invite`, undefined, { key: site.key })
  const root = new URL(await plumbline.mailedLink(site.loneStar)).pathname
  expect((await visit(`${root}/will-bid`)).status).toBe(404)
})
