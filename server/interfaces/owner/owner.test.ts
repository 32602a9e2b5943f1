import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf, sendBytes } from '../../../test/support/files.ts'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { ALL_PERMISSIONS } from '../../platform/keys/roles.ts'

/** Tests the home owner's pages with requests like those of a browser without scripts. */
let plumbline: TestPlumbline
let mailServer: MailServer
let communityId: string
let home: SoldHome
let other: SoldHome

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  mailServer = await startMailServer()
  communityId = (await create('communities', { name: 'Juniper Ridge', status: 'active', state: 'TX' })).id
  home = await sellHome('Lot 15', 'Dana Whitfield')
  other = await sellHome('Lot 16', 'Omar Reyes')
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

interface SoldHome {
  homeId: string
  saleId: string
  ownerId: string
  /** The path of the owner's link. */
  root: string
}

async function create(path: string, fields: object): Promise<ServiceResponse['body']> {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 201, undefined])
  return body
}

async function act(path: string, fields?: object): Promise<ServiceResponse['body']> {
  const { status, body } = await plumbline.post(`/api/ext/${path}`, fields)
  expect([path, status, body.errors ?? body.detail]).toEqual([path, 200, undefined])
  return body
}

async function read(path: string): Promise<ServiceResponse['body']> {
  const { status, body } = await plumbline.get(`/api/ext/${path}`)
  expect([path, status]).toEqual([path, 200])
  return body
}

async function sellHome(name: string, buyer: string): Promise<SoldHome> {
  const { id: homeId } = await create('homes', { communityId, name, basePrice: 400_000 })
  const { id: saleId } = await create('sales', { homeId, buyers: [{ name: buyer }], basePrice: 400_000 })
  await act(`sales/${saleId}/approve`, {})
  const [owner] = (await read(`home-owners?homeId=${homeId}`)).data
  expect(owner).toMatchObject({ name: buyer, invitedAt: null })
  const { ownerUrl } = await act(`home-owners/${owner.id}/link`)
  return { homeId, saleId, ownerId: owner.id, root: new URL(ownerUrl).pathname }
}

const ask = (path: string, init: RequestInit = {}) => fetch(plumbline.url + path, { redirect: 'manual', ...init })

async function page(path: string): Promise<string> {
  const response = await ask(path)
  const html = await response.text()
  expect([path, response.status]).toEqual([path, 200])
  return mainOf(html)
}

/** Returns the content of a page without its styles. */
function mainOf(html: string): string {
  return html.split('<main>')[1]?.split('</main>')[0] ?? html
}

/** Sends the form that contains this text, as a browser would, and returns the next page. */
async function send(path: string, text: string, fields: Record<string, string | Blob>) {
  const form = (await page(path)).split('<form').findLast((part) => part.includes(text)) ?? ''
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  const sent = { ...Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])), ...fields }
  return post(path, sent)
}

async function post(path: string, sent: Record<string, string | Blob>) {
  const body = new FormData()
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value === 'string') body.append(name, value)
    else body.append(name, value, 'leak.jpg')
  }
  const response = await ask(path, { method: 'POST', body, redirect: 'follow' })
  return { status: response.status, html: mainOf(await response.text()), path: new URL(response.url).pathname, sent }
}

function upload(query: Record<string, string>, bytes: Uint8Array = createPdf()) {
  const { url, key } = plumbline
  return sendBytes(`${url}/api/ext/attachments?${new URLSearchParams(query)}`, bytes, { key })
}

function createPhoto(): Promise<Buffer> {
  const gray = { r: 120, g: 120, b: 120 }
  return sharp({ create: { width: 640, height: 480, channels: 3, background: gray } })
    .jpeg()
    .toBuffer()
}

const PRICED = { unitPrice: 1850, cost: 1210, scope: 'plumbing' }
const SIGNED = { answer: 'sign', signedBy: 'Dana Whitfield', consent: 'yes' }

test("the home owner's overview page is small, has no scripts, and lists the open decisions", async () => {
  await create(`homes/${home.homeId}/selections`, {
    ...PRICED,
    customDescription: 'Gas line',
    unitPrice: 900,
    location: 'Patio',
  })
  const response = await ask(home.root)
  const html = await response.text()
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(html).not.toContain('<script')
  expect(html.length).toBeLessThan(20_000)
  for (const text of ['Your home: Lot 15', 'Waiting for you', 'Gas line', '$900.00', 'Write to the builder'])
    expect(html).toContain(text)
  expect((await read(`home-owners/${home.ownerId}`)).lastVisitAt).not.toBeNull()
})

test("a home owner's choice of a selection requires a signature, which is in the status history", async () => {
  const { id } = await create(`homes/${home.homeId}/selections`, { ...PRICED, customDescription: 'Dog wash' })
  const unsigned = await send(`${home.root}/${id}`, 'signedBy', { answer: 'sign', signedBy: 'Dana' })
  expect([unsigned.status, unsigned.html]).toEqual([422, expect.stringContaining('Your signature is missing')])
  const signed = await send(`${home.root}/${id}`, 'signedBy', SIGNED)
  expect([signed.status, signed.html]).toEqual([200, expect.stringContaining('You chose this')])
  const selection = await read(`selections/${id}`)
  expect(selection).toMatchObject({ status: 'approved', approvedBy: { type: 'home_owner', id: home.ownerId } })
  const { data } = await read(`status-changes?resourceId=${id}`)
  expect(data.map(({ reason }: { reason: string }) => reason)).toContain('Signed by Dana Whitfield')
})

test('a signed choice stores the exact text with the option, price, language, and time', async () => {
  const { homeId, ownerId, root } = await sellHome('Lot 27', 'Luz Moreno')
  await plumbline.patch(`/api/ext/home-owners/${ownerId}`, { language: 'es' })
  const choice = { ...PRICED, customDescription: 'Dog wash', location: 'Laundry', color: 'White' }
  const { id } = await create(`homes/${homeId}/selections`, choice)
  await send(`${root}/${id}`, 'signedBy', { ...SIGNED, signedBy: 'Luz Moreno' })
  const { signature } = await read(`selections/${id}`)
  expect(signature).toMatchObject({
    ...{ signedBy: 'Luz Moreno', language: 'es', recordedBy: { type: 'home_owner', id: ownerId } },
    signedAt: expect.stringMatching(/Z$/),
  })
  for (const text of ['Dog wash', 'Lot 27', 'Precio: $1,850.00', ': Laundry', 'Color: White', ' Luz Moreno el '])
    expect(signature.text).toContain(text)
  expect(createHash('sha256').update(signature.text).digest('hex')).toBe(signature.textSha256)
})

test('a signed buyer change stores the exact text with its lines and prices', async () => {
  const lines = [{ description: 'Bay window', scope: 'framing', price: 4200, cost: 2900 }]
  const { id } = await create(`sales/${home.saleId}/changes`, { title: 'Window', lines })
  await act(`buyer-changes/${id}/status`, { status: 'sent' })
  await send(`${home.root}/${id}`, 'signedBy', SIGNED)
  const { signature } = await read(`buyer-changes/${id}`)
  expect(signature).toMatchObject({ signedBy: 'Dana Whitfield', language: 'en' })
  for (const text of [': Window', 'Bay window: $4,200.00', 'I am Dana Whitfield'])
    expect(signature.text).toContain(text)
})

test('a home owner can read and download the signed text', async () => {
  const { id } = await create(`homes/${home.homeId}/selections`, { ...PRICED, customDescription: 'Pantry' })
  expect((await ask(`${home.root}/${id}/signed.pdf`)).status).toBe(404)
  const { html } = await send(`${home.root}/${id}`, 'signedBy', SIGNED)
  expect(html).toContain('What you signed')
  const pdf = await ask(`${home.root}/${id}/signed.pdf`)
  expect([pdf.status, (await pdf.text()).startsWith('%PDF')]).toEqual([200, true])
  expect((await ask(`${other.root}/${id}/signed.pdf`)).status).toBe(404)
})

test('a home owner cannot sign a choice after its deadline', async () => {
  const choice = { ...PRICED, customDescription: 'Tile', deadline: '2020-01-31', overrideReason: 'Late.' }
  const { id, version } = await create(`homes/${home.homeId}/selections`, choice)
  const html = await page(`${home.root}/${id}`)
  expect(html).toContain('The deadline has passed.')
  expect(html).not.toContain('name="signedBy"')
  const late = await post(`${home.root}/${id}`, { ...SIGNED, version: String(version) })
  expect([late.status, late.html]).toEqual([409, expect.stringContaining('The deadline for this choice has passed.')])
})

test('a home owner cannot sign a selection whose price at approval differs from the price on the page', async () => {
  const priced = { code: 'RANGE', name: 'Gas range', optionType: 'upgrade', price: 1000 }
  const { id: optionId } = await create('options', priced)
  await act(`options/${optionId}/status`, { status: 'active' })
  const { id } = await create(`homes/${home.homeId}/selections`, { optionId, cost: 600, scope: 'plumbing' })
  expect((await plumbline.patch(`/api/ext/options/${optionId}`, { price: 1200 })).status).toBe(200)
  const dearer = await send(`${home.root}/${id}`, 'signedBy', SIGNED)
  expect([dearer.status, dearer.html]).toEqual([409, expect.stringContaining('The page changed after you opened it.')])
  expect(await read(`selections/${id}`)).toMatchObject({ status: 'pending', difference: 1000, version: 1 })
  expect((await plumbline.patch(`/api/ext/options/${optionId}`, { price: 1000 })).status).toBe(200)
  const signed = await send(`${home.root}/${id}`, 'signedBy', SIGNED)
  expect([signed.status, signed.html]).toEqual([200, expect.stringContaining('You chose this')])
})

test('a home owner can sign a buyer change only once, and only after it was sent', async () => {
  const lines = [{ description: 'Screened porch', scope: 'framing', price: 21_500, cost: 14_800 }]
  const { id } = await create(`sales/${home.saleId}/changes`, { title: 'Porch', lines })
  expect((await ask(`${home.root}/${id}`)).status).toBe(404)
  await act(`buyer-changes/${id}/status`, { status: 'sent' })
  expect(await page(home.root)).toContain(': Porch')
  const signed = await send(`${home.root}/${id}`, 'signedBy', SIGNED)
  expect([signed.status, signed.html]).toEqual([200, expect.stringContaining('You approved this change')])
  expect((await post(`${home.root}/${id}`, signed.sent)).status).toBe(200)
  expect(await read(`buyer-changes/${id}`)).toMatchObject({ status: 'approved', version: 3 })
})

test('a home owner still sees the buyer changes after the sale is complete', async () => {
  const { saleId, root } = await sellHome('Lot 22', 'Nina Brandt')
  const lines = [{ description: 'Bookcase', scope: 'framing', price: 900, cost: 600 }]
  const { id } = await create(`sales/${saleId}/changes`, { title: 'Bookcase', lines })
  await act(`buyer-changes/${id}/status`, { status: 'sent' })
  await send(`${root}/${id}`, 'signedBy', SIGNED)
  for (const { stage } of (await read(`sales/${saleId}`)).pipeline)
    await act(`sales/${saleId}/pipeline`, { stage, status: 'waived', reason: 'Not needed.' })
  expect((await read(`sales/${saleId}`)).status).toBe('pipeline_complete')
  expect(await page(root)).toContain(': Bookcase')
})

test('a home owner cannot sign a buyer change that was updated after the page was opened', async () => {
  const lines = [{ description: 'Outlet', scope: 'electrical', price: 100, cost: 60 }]
  const { id } = await create(`sales/${home.saleId}/changes`, { title: 'Outlet', lines })
  await act(`buyer-changes/${id}/status`, { status: 'sent' })
  const stale = await post(`${home.root}/${id}`, { ...SIGNED, version: '1' })
  expect([stale.status, stale.html]).toEqual([409, expect.stringContaining('The page changed after you opened it.')])
  const declined = await send(`${home.root}/${id}`, 'value="decline"', { answer: 'decline', reason: 'Too much.' })
  expect(declined.html).toContain('You declined this change')
})

test('a home owner can sign the punch list of a walkthrough', async () => {
  const { id: walkthroughId } = await create('walkthroughs', { homeId: home.homeId, kind: 'final' })
  await create('punch-items', {
    homeId: home.homeId,
    walkthroughId,
    location: 'Hall',
    description: 'Scratch on the wall',
  })
  const quality = await create('walkthroughs', { homeId: home.homeId, kind: 'quality' })
  expect((await ask(`${home.root}/${quality.id}`)).status).toBe(404)
  expect(await page(`${home.root}/${walkthroughId}`)).toContain('Scratch on the wall')
  const { html } = await send(`${home.root}/${walkthroughId}`, 'signedBy', SIGNED)
  expect(html).toContain('Signed by Dana Whitfield')
  const { status, signature } = await read(`walkthroughs/${walkthroughId}`)
  expect([status, signature.signedBy]).toEqual(['closed', 'Dana Whitfield'])
})

test('a home owner cannot sign the punch list of a walkthrough before its date', async () => {
  const date = new Date(plumbline.clock.nowMs() + 3 * 86_400_000).toISOString().slice(0, 10)
  const { id, version } = await create('walkthroughs', { homeId: home.homeId, kind: 'orientation', date })
  const early = await post(`${home.root}/${id}`, { ...SIGNED, version: String(version) })
  expect(early.status).toBe(409)
  expect(await read(`walkthroughs/${id}`)).toMatchObject({ status: 'open', signature: null })
})

test('a home owner can attach a photo to a problem report and confirm or reject the repair', async () => {
  const photo = await createPhoto()
  const file = new Blob([new Uint8Array(photo)], { type: 'image/jpeg' })
  const form = await page(`${home.root}/report`)
  expect(form.indexOf('911')).toBeLessThan(form.indexOf('<form'))
  const described = { description: 'The faucet drips.', location: 'Kitchen', severity: 'urgent' }
  const reported = await send(`${home.root}/report`, 'description', { ...described, file })
  expect([reported.status, reported.html]).toEqual([200, expect.stringContaining('Sent, we will answer')])
  expect(reported.html).toMatch(/<img src="[^"]+\/photos\/att_/)
  const id = reported.path.split('/').at(-1) ?? ''
  expect(await read(`warranty-requests/${id}`)).toMatchObject({
    ...{ homeId: home.homeId, source: 'owner_page', reportedBy: 'Dana Whitfield', severity: 'urgent', status: 'new' },
    createdBy: { type: 'home_owner', id: home.ownerId },
  })
  const picture = await ask(/src="([^"]+\/photos\/[^"]+)"/.exec(reported.html)?.[1] ?? '')
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])

  await act(`warranty-requests/${id}/decision`, { decision: 'goodwill', reason: 'We fix it.' })
  const { id: vendorId } = await create('vendors', { companyName: 'Lone Star Plumbing' })
  await act(`warranty-requests/${id}/assignment`, { vendorId })
  const after = await upload({ recordId: id, fileName: 'after.jpg', kind: 'photo', stage: 'after' }, photo)
  expect(after.status).toBe(201)
  await act(`warranty-requests/${id}/status`, { status: 'completed' })
  expect(await page(home.root)).toContain('Repaired, please confirm')
  const back = await send(`${home.root}/${id}`, 'name="reason"', { answer: 'not_fixed', reason: 'It still drips.' })
  expect(back.html).toContain('Somebody is assigned')
  await act(`warranty-requests/${id}/status`, { status: 'completed' })
  const stale = await post(`${home.root}/${id}`, { ...SIGNED, version: '1' })
  expect([stale.status, stale.html]).toEqual([409, expect.stringContaining('The page changed after you opened it.')])
  const closed = await send(`${home.root}/${id}`, 'signedBy', SIGNED)
  expect(closed.html).toContain('Closed')
  expect(await read(`warranty-requests/${id}`)).toMatchObject({
    status: 'closed',
    signature: { signedBy: 'Dana Whitfield' },
  })
})

test('a problem report with a rejected photo creates no warranty request', async () => {
  const { homeId, root } = await sellHome('Lot 23', 'Eva Marsh')
  const described = { description: 'The door sticks.', severity: 'routine' }
  for (const content of [new Uint8Array(createPdf()), new Uint8Array([0, 1, 2])]) {
    const rejected = await send(`${root}/report`, 'description', { ...described, file: new Blob([content]) })
    expect(rejected.status).toBe(422)
    expect(rejected.html).toContain('The door sticks.')
  }
  expect((await read(`warranty-requests?homeId=${homeId}`)).data).toEqual([])
})

test('a home owner can write to the builder and respond to the reply', async () => {
  const written = await send(`${home.root}/write`, 'name="body"', { subject: 'Keys', body: 'When do we get the keys?' })
  expect(written.html).toContain('When do we get the keys?')
  const id = written.path.split('/').at(-1) ?? ''
  expect(await read(`messages/${id}`)).toMatchObject({
    ...{ sender: { type: 'home_owner', id: home.ownerId }, relatedTo: { type: 'home', id: home.homeId } },
  })
  const reply = await create('messages', { inReplyToId: id, body: 'On Friday.' })
  expect(reply.recipients).toMatchObject([{ type: 'home_owner', id: home.ownerId }])
  expect(await page(`${home.root}/${id}`)).toContain('On Friday.')
  const { html } = await send(`${home.root}/${reply.id}`, 'name="body"', { body: 'Thank you!' })
  expect(html).toContain('Thank you!')
})

test('a home owner sees only shared daily logs and files', async () => {
  const log = { homeId: home.homeId, workDone: 'Internal: the crew was late.', ownerNote: 'The roof is on.' }
  const { id } = await create('daily-logs', { ...log, sharedWithOwner: true })
  expect(await page(home.root)).not.toContain('The roof is on.')
  await act(`daily-logs/${id}/submit`)
  const shared = await upload({ recordId: home.homeId, fileName: 'Survey.pdf', sharedWithOwner: 'true' })
  const kept = await upload({ recordId: home.homeId, fileName: 'Costs.pdf' })
  const html = await page(home.root)
  expect([html.includes('The roof is on.'), html.includes('crew was late')]).toEqual([true, false])
  expect([html.includes('Survey.pdf'), html.includes('Costs.pdf')]).toEqual([true, false])
  expect((await ask(`${home.root}/files/${shared.body.id}`)).status).toBe(200)
  expect((await ask(`${home.root}/files/${kept.body.id}`)).status).toBe(404)
})

test("a home owner's link does not open a record, file, or message of another home", async () => {
  const { id: selectionId, version } = await create(`homes/${home.homeId}/selections`, {
    ...{ ...PRICED, customDescription: 'Fence' },
  })
  const lines = [{ description: 'Shed', scope: 'framing', price: 5, cost: 4 }]
  const { id: changeId } = await create(`sales/${home.saleId}/changes`, { title: 'Shed', lines })
  await act(`buyer-changes/${changeId}/status`, { status: 'sent' })
  const { id: walkthroughId } = await create('walkthroughs', { homeId: home.homeId, kind: 'orientation' })
  const request = await create('warranty-requests', { homeId: home.homeId, description: 'Noise' })
  const message = await create('messages', { recipients: [{ type: 'home_owner', id: home.ownerId }], body: 'Hello' })
  const file = await upload({ recordId: home.homeId, fileName: 'Deed.pdf', sharedWithOwner: 'true' })
  expect(await page(home.root)).toContain('Deed.pdf')
  for (const id of [selectionId, changeId, walkthroughId, request.id, message.id]) {
    expect([id, (await ask(`${other.root}/${id}`)).status]).toEqual([id, 404])
    const fields = { ...SIGNED, version: String(version), body: 'Hi', reason: 'Why' }
    expect([id, (await post(`${other.root}/${id}`, fields)).status]).toEqual([id, 404])
  }
  for (const path of [`files/${file.body.id}`, `photos/${file.body.id}`])
    expect((await ask(`${other.root}/${path}`)).status).toBe(404)
  const html = await page(other.root)
  for (const text of ['Fence', 'Shed', 'Noise', 'Hello', 'Deed.pdf']) expect(html).not.toContain(text)
  expect(await read(`selections/${selectionId}`)).toMatchObject({ status: 'pending' })
})

test('a home owner does not see the reports and files of a previous owner', async () => {
  const { homeId, root } = await sellHome('Lot 24', 'Tom Becker')
  const { id: earlierId } = await create('warranty-requests', { homeId, description: 'Loud heater' })
  const earlier = await upload({ recordId: homeId, fileName: 'Deed.pdf', sharedWithOwner: 'true' })
  plumbline.clock.advance(86_400_000)
  const { id } = await create('home-owners', { homeId, name: 'Rosa Blum' })
  const nextRoot = new URL((await act(`home-owners/${id}/link`)).ownerUrl).pathname
  await create('warranty-requests', { homeId, description: 'Loose step', location: 'Stairs' })
  await upload({ recordId: homeId, fileName: 'Manual.pdf', sharedWithOwner: 'true' })
  const seen = ['Deed.pdf', 'Manual.pdf', 'Stairs']
  const listSeen = async (of: string) => {
    const html = (await page(of)) + (await page(`${of}/warranty`)) + (await page(`${of}/files`))
    return seen.filter((text) => html.includes(text))
  }
  expect(await listSeen(nextRoot)).toEqual(['Manual.pdf', 'Stairs'])
  expect(await listSeen(root)).toEqual(seen)
  for (const path of [earlierId, `files/${earlier.body.id}`])
    expect([(await ask(`${root}/${path}`)).status, (await ask(`${nextRoot}/${path}`)).status]).toEqual([200, 404])
})

test('a home owner does not see the texts that the buyer of a canceled sale signed', async () => {
  const { homeId, saleId, root } = await sellHome('Lot 28', 'Ana Lima')
  const { id } = await create(`homes/${homeId}/selections`, { ...PRICED, customDescription: 'Pantry' })
  await send(`${root}/${id}`, 'signedBy', { ...SIGNED, signedBy: 'Ana Lima' })
  expect(await page(`${root}/${id}`)).toContain('I am Ana Lima')
  plumbline.clock.advance(86_400_000)
  await act(`sales/${saleId}/cancel`, { reason: 'The loan was denied.' })
  const { id: nextId } = await create('sales', { homeId, buyers: [{ name: 'Rosa Blum' }], basePrice: 400_000 })
  await act(`sales/${nextId}/approve`, {})
  const [next] = (await read(`home-owners?homeId=${homeId}`)).data
  const nextRoot = new URL((await act(`home-owners/${next.id}/link`)).ownerUrl).pathname
  const choice = await page(`${nextRoot}/${id}`)
  expect(choice).toContain('Pantry')
  expect(choice).not.toContain('Ana Lima')
  expect((await ask(`${nextRoot}/${id}/signed.pdf`)).status).toBe(404)
})

test("the API does not accept the token of a home owner's link", async () => {
  const token = home.root.split('/').at(-1) ?? ''
  expect((await plumbline.get('/api/ext/homes', { key: token })).status).toBe(401)
})

test("a home owner's link opens no page if it was revoked or replaced, has expired, or belongs to an archived owner", async () => {
  const { root, ownerId } = await sellHome('Lot 17', 'Ines Ortega')
  const renewed = new URL((await act(`home-owners/${ownerId}/link`)).ownerUrl).pathname
  expect([(await ask(root)).status, (await ask(renewed)).status]).toEqual([410, 200])
  expect((await act(`home-owners/${ownerId}/revocation`)).invitedAt).toBeNull()
  expect((await ask(renewed)).status).toBe(410)
  const again = new URL((await act(`home-owners/${ownerId}/link`)).ownerUrl).pathname
  plumbline.clock.advance(399 * 86_400_000)
  expect((await ask(again)).status).toBe(200)
  plumbline.clock.advance(399 * 86_400_000)
  expect((await ask(again)).status).toBe(200)
  plumbline.clock.advance(401 * 86_400_000)
  expect((await ask(again)).status).toBe(410)
  const last = new URL((await act(`home-owners/${ownerId}/link`)).ownerUrl).pathname
  expect((await plumbline.delete(`/api/ext/home-owners/${ownerId}`)).status).toBe(204)
  expect((await ask(last)).status).toBe(410)
  expect((await ask('/owner/own_00000000000000000000000000.nothing')).status).toBe(404)
})

test("the home owner's page uses the owner's language unless the visitor chooses another language", async () => {
  const { homeId, root, ownerId } = await sellHome('Lot 18', 'Luz Moreno')
  const { body } = await plumbline.patch(`/api/ext/home-owners/${ownerId}`, { language: 'es' })
  expect(body.language).toBe('es')
  expect(await page(root)).toContain('Su casa: Lot 18')
  const choice = { ...PRICED, customDescription: 'Fence', deadline: '2040-01-31' }
  const { id } = await create(`homes/${homeId}/selections`, choice)
  expect(await page(`${root}/${id}`)).toContain('Por favor responda a más tardar el')
  const chosen = await ask(`${root}?language=en`)
  const cookie = chosen.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const html = await (await ask(root, { headers: { cookie } })).text()
  expect(html).toContain('Your home: Lot 18')
})

test("a link that was emailed to a home owner is revoked when the owner's email address changes", async () => {
  const mailing = await startTestPlumbline(mailServer.env)
  try {
    const { id: communityId } = (await mailing.post('/api/ext/communities', { name: 'Juniper Ridge' })).body
    const { id: homeId } = (await mailing.post('/api/ext/homes', { communityId, name: 'Lot 9' })).body
    const owner = { homeId, name: 'Dana Whitfield', email: 'dana@example.com' }
    const { id } = (await mailing.post('/api/ext/home-owners', owner)).body
    expect((await mailing.post(`/api/ext/home-owners/${id}/link`)).body.reason).toBe('not_available')
    const invited = await mailing.post(`/api/ext/home-owners/${id}/invitation`)
    expect([invited.status, JSON.stringify(invited.body).includes('/owner/')]).toEqual([200, false])
    const { source } = await mailServer.next('dana@example.com')
    const path = /\/owner\/own_\S+/.exec(source.replaceAll('=\r\n', ''))?.[0] ?? ''
    expect((await fetch(mailing.url + path)).status).toBe(200)
    const moved = await mailing.patch(`/api/ext/home-owners/${id}`, { email: 'new@example.com' })
    expect(moved.body.invitedAt).toBeNull()
    expect((await fetch(mailing.url + path)).status).toBe(410)
  } finally {
    await mailing.stop()
  }
})

test('canceling a sale archives the home owners and revokes their links', async () => {
  const { homeId, saleId, ownerId, root } = await sellHome('Lot 19', 'Priya Nair')
  await act(`sales/${saleId}/cancel`, { reason: 'The loan was denied.' })
  expect((await ask(root)).status).toBe(410)
  expect((await read(`home-owners/${ownerId}`)).archivedAt).not.toBeNull()
  const { id: nextId } = await create('sales', { homeId, buyers: [{ name: 'Priya Nair' }], basePrice: 400_000 })
  await act(`sales/${nextId}/approve`, {})
  const { data } = await read(`home-owners?homeId=${homeId}`)
  expect(data).toMatchObject([{ name: 'Priya Nair', invitedAt: null }])
  expect((await ask(root)).status).toBe(410)
})

test("replacing a buyer of an approved sale revokes only the former buyer's link", async () => {
  const { homeId, saleId, root } = await sellHome('Lot 20', 'Sam Ortiz')
  const remaining = { name: 'Ann Ortiz', email: 'ann@example.com' }
  const change = (buyers: object[]) => plumbline.patch(`/api/ext/sales/${saleId}`, { buyers })
  expect((await change([{ name: 'Sam Ortiz' }, remaining])).status).toBe(200)
  expect((await ask(root)).status).toBe(200)
  expect((await change([remaining, { name: 'Leo Park' }])).status).toBe(200)
  expect((await ask(root)).status).toBe(410)
  const { data } = await read(`home-owners?homeId=${homeId}&sort=createdAt`)
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['Ann Ortiz', 'Leo Park'])
})

test('the buyers of an approved sale of a lot become home owners when a home is added to the sale', async () => {
  const lot = { communityId, lotNumber: '21' }
  const { id: saleId } = await create('sales', { ...lot, buyers: [{ name: 'Mia Chen' }], basePrice: 400_000 })
  await act(`sales/${saleId}/approve`, {})
  const { id: homeId } = await create('homes', { ...lot, name: 'Lot 21', basePrice: 400_000 })
  const added = await plumbline.patch(`/api/ext/sales/${saleId}`, { homeId })
  expect([added.status, added.body.detail]).toEqual([200, undefined])
  expect((await read(`home-owners?homeId=${homeId}`)).data).toMatchObject([{ name: 'Mia Chen' }])
})

test("a caller without portal_links:read cannot send a home owner's link to an address that the caller chose", async () => {
  const mailing = await startTestPlumbline(mailServer.env)
  try {
    const post = async (path: string, fields: object = {}) => (await mailing.post(`/api/ext/${path}`, fields)).body
    const { id: communityId } = await post('communities', { name: 'Juniper Ridge', status: 'active' })
    const { id: homeId } = await post('homes', { communityId, name: 'Lot 8', basePrice: 400_000 })
    const buyers = [{ name: 'Dana Whitfield', email: 'Dana.W@example.com' }]
    const { id: saleId } = await post('sales', { homeId, buyers, basePrice: 400_000 })
    await post(`sales/${saleId}/approve`)
    const [buyer] = (await mailing.get(`/api/ext/home-owners?homeId=${homeId}`)).body.data
    const key = { key: await mailing.newKey(ALL_PERMISSIONS.filter((each) => each !== 'portal_links:read')) }
    const invite = (id: string) => mailing.post(`/api/ext/home-owners/${id}/invitation`, {}, key)
    const change = (fields: object) => mailing.patch(`/api/ext/home-owners/${buyer.id}`, fields, key)
    const DENIED = { status: 403, code: 'permission_denied', permission: 'portal_links:read' }

    const moved = await change({ email: 'kim@example.com' })
    expect([moved.status, (await invite(buyer.id)).body]).toEqual([200, expect.objectContaining(DENIED)])
    expect((await change({ email: 'dana.w@example.com' })).status).toBe(200)
    expect((await invite(buyer.id)).status).toBe(200)
    expect((await change({ email: 'kim@example.com' })).body).toMatchObject(DENIED)
    expect((await change({ email: 'DANA.W@example.com', phone: '+1 512 555 0100' })).status).toBe(200)
    await mailing.post(`/api/ext/home-owners/${buyer.id}/revocation`, {}, key)
    expect((await change({ email: 'kim@example.com' })).body).toMatchObject(DENIED)

    const stranger = await post('home-owners', { homeId, name: 'Kim', email: 'kim@example.com' })
    expect((await invite(stranger.id)).body).toMatchObject(DENIED)
    expect((await mailing.post(`/api/ext/home-owners/${stranger.id}/invitation`)).status).toBe(200)
  } finally {
    await mailing.stop()
  }
})

/** Starts a service that sends email and has a sold home. Returns the key of a salesperson, who cannot copy links. */
async function sellWithMail(buyers: object[]) {
  const mailing = await startTestPlumbline(mailServer.env)
  const key = { key: await mailing.newKey(ALL_PERMISSIONS.filter((each) => each !== 'portal_links:read')) }
  const post = async (path: string, fields: object = {}) => (await mailing.post(`/api/ext/${path}`, fields)).body
  const { id: communityId } = await post('communities', { name: 'Juniper Ridge', status: 'active' })
  const { id: homeId } = await post('homes', { communityId, name: 'Lot 8', basePrice: 400_000 })
  const { id: saleId } = await post('sales', { homeId, buyers, basePrice: 400_000 })
  await mailing.post(`/api/ext/sales/${saleId}/approve`, {}, key)
  const findOwner = async (name: string) => {
    const { data } = (await mailing.get(`/api/ext/home-owners?homeId=${homeId}`)).body
    return data.find((owner: { name: string }) => owner.name === name)
  }
  const invite = async (name: string, caller = key) =>
    mailing.post(`/api/ext/home-owners/${(await findOwner(name)).id}/invitation`, {}, caller)
  const nextMail = async (to: string) => {
    const { source } = await mailServer.next(to)
    return source.replaceAll('=\r\n', '')
  }
  return { mailing, key, post, homeId, saleId, findOwner, invite, nextMail }
}

let buyerCount = 0

/** Returns a buyer whose email address no other test uses. */
function createDana() {
  return { name: 'Dana Whitfield', email: `dana-${buyerCount++}@example.com` }
}

const KIM = { name: 'Kim Doe', email: 'kim@example.com' }
const NEEDS_APPROVAL = { status: 403, code: 'permission_denied', permission: 'portal_links:read' }

test('a caller without portal_links:read cannot send a link to a buyer who was named after the approval', async () => {
  const dana = createDana()
  const { mailing, key, saleId, invite } = await sellWithMail([dana])
  try {
    const added = await mailing.patch(`/api/ext/sales/${saleId}`, { buyers: [dana, KIM] }, key)
    expect([added.status, (await invite(KIM.name)).body]).toEqual([200, expect.objectContaining(NEEDS_APPROVAL)])
    expect((await invite(dana.name)).status).toBe(200)
  } finally {
    await mailing.stop()
  }
})

test('a caller without portal_links:read cannot send a link to the buyer of another sale of a home that had a link', async () => {
  const dana = createDana()
  const { mailing, key, homeId, saleId, invite } = await sellWithMail([dana])
  try {
    expect((await invite(dana.name)).status).toBe(200)
    await mailing.post(`/api/ext/sales/${saleId}/cancel`, { reason: 'The loan was denied.' }, key)
    const next = { homeId, buyers: [KIM], basePrice: 400_000 }
    const { id } = (await mailing.post('/api/ext/sales', next, key)).body
    expect((await mailing.post(`/api/ext/sales/${id}/approve`, {}, key)).status).toBe(200)
    expect((await invite(KIM.name)).body).toMatchObject(NEEDS_APPROVAL)
  } finally {
    await mailing.stop()
  }
})

test('after a caller with portal_links:read has sent a link, any caller who can edit home owners can send another link', async () => {
  const dana = createDana()
  const { mailing, saleId, invite } = await sellWithMail([dana])
  try {
    await mailing.patch(`/api/ext/sales/${saleId}`, { buyers: [dana, KIM] })
    expect((await invite(KIM.name, { key: mailing.key })).status).toBe(200)
    expect((await invite(KIM.name)).status).toBe(200)
  } finally {
    await mailing.stop()
  }
})

test("a notice is sent to a home owner's former email address when the address changes", async () => {
  const dana = createDana()
  const { mailing, findOwner, invite, nextMail } = await sellWithMail([dana])
  try {
    await invite(dana.name)
    await nextMail(dana.email)
    await mailing.patch(`/api/ext/home-owners/${(await findOwner(dana.name)).id}`, { email: 'new@example.com' })
    const notice = await nextMail(dana.email)
    expect(notice).toContain('Your email address was changed: Lot 8')
    expect(notice).not.toContain('/owner/own_')
  } finally {
    await mailing.stop()
  }
})

test('a buyer who is replaced in a sale receives a notice that the access has ended', async () => {
  const dana = createDana()
  const { mailing, saleId, invite, nextMail } = await sellWithMail([dana])
  try {
    await invite(dana.name)
    await nextMail(dana.email)
    await mailing.patch(`/api/ext/sales/${saleId}`, { buyers: [KIM] })
    expect(await nextMail(dana.email)).toContain('Your access has ended: Lot 8')
  } finally {
    await mailing.stop()
  }
})

test('the other owners of a home receive a notice when another person gets a link', async () => {
  const dana = createDana()
  const { mailing, saleId, invite, nextMail } = await sellWithMail([dana])
  try {
    await invite(dana.name)
    await nextMail(dana.email)
    await mailing.patch(`/api/ext/sales/${saleId}`, { buyers: [dana, KIM] })
    await invite(KIM.name, { key: mailing.key })
    expect(await nextMail(dana.email)).toContain('Kim Doe now has access: Lot 8')
  } finally {
    await mailing.stop()
  }
})

test('a message to a home owner shows that its email was sent', async () => {
  const dana = createDana()
  const { mailing, post, findOwner } = await sellWithMail([dana])
  try {
    const recipients = [{ type: 'home_owner', id: (await findOwner(dana.name)).id }]
    const { id } = await post('messages', { channel: 'email', body: 'The keys are ready.', recipients })
    const statusOf = ({ body }: ServiceResponse) => body.recipients[0].deliveryStatus
    const settled = await mailing.until(`/api/ext/messages/${id}`, (response) => statusOf(response) !== 'queued')
    expect(statusOf(settled)).toBe('sent')
  } finally {
    await mailing.stop()
  }
})

test("photos on a home owner's page do not count toward the link's request limit", async () => {
  const limited = await startTestPlumbline({ PORTAL_LIMIT_PER_MINUTE: '5', PORTAL_CLIENT_LIMIT_PER_MINUTE: '5' })
  try {
    const post = async (path: string, fields: object = {}) => (await limited.post(`/api/ext/${path}`, fields)).body
    const { id: communityId } = await post('communities', { name: 'Juniper Ridge' })
    const { id: homeId } = await post('homes', { communityId, name: 'Lot 9' })
    const { id } = await post('home-owners', { homeId, name: 'Noah Fields' })
    const root = limited.url + new URL((await post(`home-owners/${id}/link`)).ownerUrl).pathname
    const query = new URLSearchParams({ recordId: homeId, fileName: 'roof.jpg', sharedWithOwner: 'true' })
    const at = `${limited.url}/api/ext/attachments?${query}`
    const photo = await sendBytes(at, await createPhoto(), { key: limited.key })
    for (let i = 0; i < 10; i++) expect((await fetch(`${root}/photos/${photo.body.id}`)).status).toBe(200)
    expect((await fetch(root)).status).toBe(200)
  } finally {
    await limited.stop()
  }
})

test('photos that are sent concurrently do not exceed the photo limit of a problem report', async () => {
  const { root } = await sellHome('Lot 26', 'Ada Flores')
  const reported = await send(`${root}/report`, 'description', { description: 'Cracks.', severity: 'routine' })
  const file = new Blob([new Uint8Array(await createPhoto())], { type: 'image/jpeg' })
  await Promise.all(Array.from({ length: 12 }, () => post(reported.path, { answer: 'photo', file })))
  const id = reported.path.split('/').at(-1) ?? ''
  expect((await read(`attachments?recordId=${id}`)).data).toHaveLength(10)
})
