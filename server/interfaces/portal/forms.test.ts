import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Tests forms that are sent twice, by two people, or over a slow connection, and forms that are not accepted. */
let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  // In production, a request may take one minute and an upload must reach 50 kB/s. This test runs sixty times faster.
  plumbline = await startTestPlumbline({ REQUEST_TIMEOUT_SECONDS: '1' })
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const LINES = [{ lineId: 'walls', description: 'Walls', quantity: 10, unit: 'SF' }]
const ext = async (path: string, body?: unknown) =>
  (await plumbline.post(`/api/ext${path}`, body, { key: site.key })).body
const read = async (path: string) => (await plumbline.get(`/api/ext${path}`, { key: site.key })).body
const ask = (path: string, init: RequestInit = {}) => fetch(plumbline.url + path, { redirect: 'manual', ...init })
const page = async (path: string) => (await ask(path)).text()

interface Guest {
  requestId: string
  invitationId: string
  root: string
  page: string
}

async function invite(more: object = {}): Promise<Guest> {
  const requested = { ...site.framing(), lines: LINES, bidType: 'unit_price', ...more }
  const { id: requestId, invitations } = await ext('/bids/request', requested)
  const [{ id: invitationId }] = invitations
  const root = new URL(await plumbline.mailedLink(invitationId)).pathname
  return { requestId, invitationId, root, page: `${root}/${invitationId}` }
}

/** Returns the hidden fields of the last form on the page that contains this text. */
async function hiddenFields(path: string, text: string): Promise<Record<string, string>> {
  const html = await page(path)
  const form = html.split('<form').findLast((part) => part.includes(text)) ?? ''
  const inputs = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}

function send(path: string, fields: Record<string, string | File>, redirect: 'manual' | 'follow' = 'manual') {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const hasFile = Object.values(fields).some((value) => typeof value !== 'string')
  const body = hasFile || path.endsWith('/price') ? form : new URLSearchParams(fields as Record<string, string>)
  return ask(path, { method: 'POST', body, redirect })
}

/** Sends a form twice at the same time and then once more. Returns the three resulting pages. */
async function sendThrice(path: string, fields: Record<string, string | File>) {
  const both = await Promise.all([send(path, fields, 'follow'), send(path, fields, 'follow')])
  const answers = [...both, await send(path, fields, 'follow')]
  return Promise.all(answers.map(async (answer) => ({ status: answer.status, html: await answer.text() })))
}

async function saveDraft(guest: Guest, fields: Record<string, string | File> = { p0: '9.5' }): Promise<void> {
  const hidden = await hiddenFields(`${guest.page}/price`, 'name="by"')
  const saved = await send(`${guest.page}/price`, { ...hidden, ...fields })
  expect([saved.status, saved.headers.get('location')]).toEqual([303, `${guest.page}/price?done=saved`])
}

async function submit(guest: Guest): Promise<void> {
  await saveDraft(guest)
  const fields = { ...(await hiddenFields(`${guest.page}/review`, 'value="submit"')), do: 'submit' }
  expect((await send(`${guest.page}/review`, fields)).headers.get('location')).toBe(guest.page)
}

test('a bid form that is sent three times submits one bid', async () => {
  const guest = await invite()
  await saveDraft(guest)
  const fields = { ...(await hiddenFields(`${guest.page}/review`, 'value="submit"')), do: 'submit' }
  for (const { status, html } of await sendThrice(`${guest.page}/review`, fields))
    expect([status, html]).toEqual([200, expect.stringContaining('Your bid has been received.')])
  const { data } = await read(`/bids?bidRequestId=${guest.requestId}`)
  expect(data).toMatchObject([{ revision: 1, status: 'submitted' }])
})

test('withdrawing a bid three times shows the same confirmation each time', async () => {
  const guest = await invite()
  await submit(guest)
  const fields = { ...(await hiddenFields(guest.page, 'value="withdraw"')), do: 'withdraw', reason: '' }
  for (const { status, html } of await sendThrice(guest.page, fields))
    expect([status, html]).toEqual([200, expect.stringContaining('You withdrew your bid.')])
})

test('a message, document, or file form that is sent three times is stored once', async () => {
  const { id: messageId } = await ext('/messages', {
    ...{ recipients: [{ type: 'vendor', id: site.loneStar }], subject: 'Lot 14', body: 'Can you start a day earlier?' },
  })
  await ext(`/vendors/${site.loneStar}/invite`)
  const root = new URL(await plumbline.mailedLink(site.loneStar)).pathname
  const message = `${root}/${messageId}`
  const reply = { ...(await hiddenFields(message, 'name="body"')), body: 'Yes, on Monday.' }
  for (const { status } of await sendThrice(message, reply)) expect(status).toBe(200)
  const own = (await read('/messages')).data.filter(({ body }: { body: string }) => body === reply.body)
  expect(own).toHaveLength(1)
  // If the vendor goes back and sends the form with another text, this is a new message.
  expect((await send(message, { ...reply, body: 'Or on Tuesday.' })).status).toBe(303)

  const file = new File(['%PDF-1.4\n%%EOF\n'], 'License.pdf')
  const document = { ...(await hiddenFields(`${root}/hand-in`, 'name="carrier"')), type: 'license', file }
  for (const { status, html } of await sendThrice(`${root}/hand-in`, document))
    expect([status, html]).toEqual([200, expect.stringContaining('The builder will review it.')])
  const { data: documents } = await read(`/vendors/${site.loneStar}/compliance-documents?type=license`)
  expect(documents).toHaveLength(1)
  const { data: attached } = await read(`/attachments?recordId=${documents[0].id}`)
  expect(attached).toHaveLength(1)

  const guest = await invite()
  const price = { ...(await hiddenFields(`${guest.page}/price`, 'name="by"')), p0: '9', do: 'save', file }
  for (const { status } of await sendThrice(`${guest.page}/price`, price)) expect(status).toBe(200)
  expect((await page(guest.page)).split('License.pdf').length - 1).toBe(1)
})

test('a portal form with a rejected file keeps all entered values', async () => {
  const guest = await invite()
  const program = new File([`MZ${String.fromCharCode(0)}program`], 'Setup.exe')
  const hidden = await hiddenFields(`${guest.page}/price`, 'name="by"')
  const refused = await send(`${guest.page}/price`, { ...hidden, p0: '9.25', exclusions: 'Crane', file: program })
  expect(refused.status).toBe(303)
  const back = await ask(refused.headers.get('location') ?? '')
  const html = await back.text()
  expect(back.status).toBe(422)
  for (const shown of ['The file was not accepted', 'value="9.25"', 'Crane</textarea>', 'autofocus'])
    expect(html).toContain(shown)
  const large = new File(['x'.repeat(25 * 1024 * 1024 + 1)], 'Large.txt')
  const fresh = await hiddenFields(`${guest.page}/price`, 'name="by"')
  const again = await send(`${guest.page}/price`, { ...fresh, p0: '9.75', exclusions: 'Crane', file: large }, 'follow')
  const said = await again.text()
  expect(said).toContain('The file is too large')
  expect(said).toContain('value="9.75"')
})

const UPLOAD_BYTES = 25_000_000

/** Returns the parts of a form before and after a file, and a function that starts a request for the form. */
async function prepareUpload(guest: Guest) {
  const boundary = 'x'
  const hidden = await hiddenFields(`${guest.page}/price`, 'name="by"')
  const fields = Object.entries({ ...hidden, p0: '9.85' }).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const start = `${fields.join('')}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="Plan.txt"\r\n\r\n`
  const end = `\r\n--${boundary}\r\nContent-Disposition: form-data; name="do"\r\n\r\nsave\r\n--${boundary}--\r\n`
  const open = (length: number) =>
    httpRequest(`${plumbline.url + guest.page}/price`, {
      ...{ method: 'POST', agent: false },
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': length },
    })
  return { start, end, open }
}

test('a slow upload in a portal form can exceed the request timeout', async () => {
  const guest = await invite()
  const { start, end, open } = await prepareUpload(guest)
  const whole = open(start.length + UPLOAD_BYTES + end.length)
  const answered = new Promise<{ status: number | undefined; location: string | undefined }>((done, fail) => {
    whole.once('response', (response) => done({ status: response.statusCode, location: response.headers.location }))
    whole.once('error', fail)
  })
  const began = performance.now()
  whole.write(start)
  // Sends a piece every 100 ms, so that the upload takes two and a half times the time limit of a request.
  const pieces = 25
  for (let i = 0; i < pieces; i++) {
    await new Promise<void>((sent) => whole.write(Buffer.alloc(UPLOAD_BYTES / pieces, 'x'), () => sent()))
    await new Promise((next) => setTimeout(next, 100))
  }
  whole.end(end)
  expect(await answered).toEqual({ status: 303, location: `${guest.page}/price?done=saved` })
  expect(performance.now() - began).toBeGreaterThan(2000)
  expect(await page(guest.page)).toContain('Plan.txt')
})

test('the values of a portal form are saved even if its upload stalls', async () => {
  const guest = await invite()
  const { start, end, open } = await prepareUpload(guest)
  const stalled = open(start.length + UPLOAD_BYTES + end.length)
  const ended = new Promise<string>((done, fail) => {
    stalled.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.once('end', () => done(`${response.headers['content-type']} ${text}`))
    })
    stalled.once('error', fail)
  })
  const { version = '' } = await hiddenFields(`${guest.page}/price`, 'name="by"')
  const newer = start.replace('9.85', '9.95').replace('"version"\r\n\r\n0', `"version"\r\n\r\n${version}`)
  stalled.write(newer)
  stalled.write('x'.repeat(1000))
  expect(await ended).toMatch(/^text\/html.*The form was not sent/s)
  expect(await page(`${guest.page}/price`)).toContain('value="9.95"')
})

test("two users of one portal link do not overwrite each other's changes", async () => {
  const guest = await invite()
  await saveDraft(guest)
  const price = `${guest.page}/price`
  const [one, other] = [await hiddenFields(price, 'name="by"'), await hiddenFields(price, 'name="by"')]
  expect((await send(price, { ...one, p0: '8', exclusions: 'Crane' })).headers.get('location')).toBe(
    `${price}?done=saved`,
  )
  const late = await send(price, { ...other, p0: '7', note: 'Two crews' }, 'follow')
  const html = await late.text()
  for (const shown of [
    'This price was changed after you opened this page.',
    'Walls: <strong>8</strong>',
    '<strong>Crane</strong>',
  ])
    expect(html).toContain(shown)
  for (const stored of ['value="7"', 'Two crews</textarea>']) expect(html).toContain(stored)
  expect(await page(price)).toContain('value="8"')
  // The page showed the other person's entries, so the second save replaces them deliberately.
  const retried = await send(price, { ...other, p0: '7', note: 'Two crews' })
  const fields = await hiddenFields(retried.headers.get('location') ?? '', 'name="by"')
  await send(price, { ...fields, p0: '7', note: 'Two crews' })
  expect(await page(price)).toContain('value="7"')
})

test('HEAD requests, prefetches, and link previews do not mark an invitation as viewed', async () => {
  const guest = await invite()
  const viewedAt = async () => (await read(`/bids/requests/${guest.requestId}`)).invitations[0].viewedAt
  for (const init of [
    { method: 'HEAD' },
    { headers: { 'sec-purpose': 'prefetch' } },
    { headers: { purpose: 'prefetch' } },
    { headers: { 'user-agent': 'WhatsApp/2.23' } },
    { headers: { 'user-agent': 'facebookexternalhit/1.1' } },
  ]) {
    const { status } = await ask(guest.root, init)
    expect([200, 503]).toContain(status)
  }
  expect(await viewedAt()).toBeNull()
  expect((await ask(guest.root)).status).toBe(200)
  expect(await viewedAt()).not.toBeNull()
})

test('an ambiguous amount in a portal form is rejected', async () => {
  const guest = await invite()
  const price = `${guest.page}/price`
  for (const [typed, said] of [
    ['12.500', '“12.500” can mean two amounts. Write 12,500 or 12.50.'],
    ['12k', 'Write the full amount, for example 12,000.'],
    ['1,70', 'Use a period only before the cents, for example 1.70.'],
  ] as const) {
    const hidden = await hiddenFields(price, 'name="by"')
    expect(await (await send(price, { ...hidden, p0: typed }, 'follow')).text()).toContain(said)
  }
})

test('a negative price in a portal form requires a confirmation', async () => {
  const guest = await invite()
  const { id } = await ext('/bids/request', {
    ...site.framing(),
    bidType: 'unit_price',
    lines: [...LINES, { lineId: 'credit', description: 'Credit', quantity: 1, unit: 'LS' }],
  }).then(({ invitations }) => invitations[0])
  const root = new URL(await plumbline.mailedLink(id)).pathname
  const deducting = { ...guest, page: `${root}/${id}` }
  await saveDraft(deducting, { p0: '10', p1: '-100' })
  const review = `${deducting.page}/review`
  const fields = { ...(await hiddenFields(review, 'value="submit"')), do: 'submit' }
  const requested = await (await send(review, fields, 'follow')).text()
  expect(requested).toContain('Check the box above the button')
  expect(requested).toContain('Yes, our bid is $0.00. Yes, this bid has a price below zero (−$100.00).')
  expect(await (await send(review, { ...fields, sure: 'yes' }, 'follow')).text()).toContain('has been received')
})

test('a bid cannot be withdrawn after the deadline', async () => {
  const closing = await invite()
  await submit(closing)
  await ext(`/bids/requests/${closing.requestId}/close`)
  const html = await page(closing.page)
  expect(html).toContain('Bidding has closed, and the builder will decide.')
  expect(html).not.toMatch(/days left|Withdraw the bid/)
  const refused = await send(closing.page, { do: 'withdraw' }, 'follow')
  expect(await refused.text()).toContain('role="alert"')
  expect((await read(`/bids?bidRequestId=${closing.requestId}`)).data).toMatchObject([{ status: 'submitted' }])
})

test('the page of a canceled bid request does not show the days left', async () => {
  const canceling = await invite()
  await ext(`/bids/requests/${canceling.requestId}/cancel`, { reason: 'The lot was sold.' })
  const canceled = await page(canceling.page)
  expect(canceled).toContain('This request was canceled. Reason: The lot was sold.')
  expect(canceled).not.toMatch(/days left/)
})

test('a price form with many lines links to the first line without a price', async () => {
  const lines = Array.from({ length: 8 }, (_, i) => ({
    lineId: `w${i}`,
    description: `Wall ${i}`,
    quantity: 1,
    unit: 'EA',
  }))
  const guest = await invite({ lines })
  expect(await page(`${guest.page}/price`)).toContain('<a href="#p0">8 lines without a price</a>')
  await saveDraft(guest, { p0: '10', p1: '12', s2: 'excluded' })
  expect(await page(`${guest.page}/price`)).toContain('<a href="#p3">5 lines without a price</a>')
  const all = Object.fromEntries(lines.map((_, i) => [`p${i}`, '10']))
  await saveDraft(guest, all)
  expect(await page(`${guest.page}/price`)).not.toContain('without a price</a>')
})
