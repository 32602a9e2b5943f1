import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf, downloadFile, sendBytes, sha256, uploadFile } from '../../../test/support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { body } = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
  communityId = body.id
})
afterAll(() => plumbline.stop())

interface Guest {
  vendorId: string
  invitationId: string
  token: string
}

/** Creates a bid request and invites vendors. */
async function newRequest(fields: object = {}): Promise<{ id: string; guests: Guest[] }> {
  const names = ['Lone Star Framing', 'Hill Country Framers']
  const vendorIds = await Promise.all(
    names.map(async (companyName) => {
      const vendor = { companyName, email: 'f@example.com', scopes: ['framing'], status: 'active' }
      return (await plumbline.post('/api/ext/vendors', vendor)).body.id
    }),
  )
  const request = { vendorIds, scope: 'framing', deadline: '2030-12-04', communityId, ...fields }
  const { body } = await plumbline.post('/api/ext/bids/request', request)
  const guests = await Promise.all(
    body.invitations.map(async (invitation: { id: string; vendorId: string }) => ({
      ...{ vendorId: invitation.vendorId, invitationId: invitation.id },
      token: (await plumbline.mailedLink(invitation.id)).split('/').at(-1) ?? '',
    })),
  )
  return { id: body.id, guests }
}

const filesOf = ({ invitationId }: Guest) => `/api/portal/invitations/${invitationId}/attachments`
const listed = async (guest: Guest) => (await plumbline.get(filesOf(guest), { key: guest.token })).body.data
const handIn = (guest: Guest, bytes: Buffer, fileName = 'Offer.pdf') =>
  sendBytes(`${plumbline.url}${filesOf(guest)}?fileName=${fileName}`, bytes, { key: guest.token })

async function open(guest: Guest, id: string, of: Guest = guest, headers: Record<string, string> = {}) {
  const answer = await fetch(`${plumbline.url}${filesOf(of)}/${id}/content`, {
    headers: { authorization: `Bearer ${guest.token}`, ...headers },
  })
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}

test("a vendor can see the files of a bid request and its own files, but not other vendors' files", async () => {
  const { id, guests } = await newRequest()
  const [one, other] = guests as [Guest, Guest]
  const [drawing, offer] = [createPdf(), createPdf()]
  const { body: shared } = await uploadFile(plumbline, drawing, { recordId: id })
  const { status, body } = await handIn(one, offer)
  expect([status, body.from, body.sha256]).toEqual([200, 'vendor', sha256(offer)])
  const ids = async (guest: Guest) => (await listed(guest)).map((file: { id: string }) => file.id)
  expect([await ids(one), await ids(other)]).toEqual([[body.id, shared.id], [shared.id]])
  expect((await open(one, shared.id)).bytes.equals(drawing)).toBe(true)
  expect((await open(one, body.id, one, { range: 'bytes=0-3' })).status).toBe(206)
  expect((await open(one, body.id, one, { range: 'bytes=999-' })).status).toBe(416)
  expect((await open(other, body.id)).status).toBe(404)
  expect((await open(other, body.id, one)).status).toBe(404)
  expect((await handIn({ ...one, token: other.token }, createPdf())).status).toBe(404)
  // The builder sees the file on the invitation, with the name of the vendor that uploaded it.
  const { body: seen } = await plumbline.get(`/api/ext/attachments?recordId=${one.invitationId}`)
  expect(seen.data).toMatchObject([{ id: body.id, createdBy: { type: 'vendor', id: one.vendorId } }])
  expect((await downloadFile(plumbline, body.id)).bytes.equals(offer)).toBe(true)
  // After the builder deletes a file, the vendor no longer sees it either.
  await plumbline.delete(`/api/ext/attachments/${shared.id}`)
  expect([await ids(other), (await open(other, shared.id)).status]).toEqual([[], 404])
})

test('a vendor cannot see files that the builder does not share', async () => {
  const { id, guests } = await newRequest()
  const [one, other] = guests as [Guest, Guest]
  const { body: own } = await uploadFile(plumbline, createPdf(), { recordId: id, shared: false })
  const { body: letter } = await uploadFile(plumbline, createPdf(), { recordId: one.invitationId })
  const { body: offer } = await handIn(one, createPdf())
  const ids = async (guest: Guest) => (await listed(guest)).map((file: { id: string }) => file.id)
  expect([await ids(one), await ids(other)]).toEqual([[offer.id, letter.id], []])
  const change = (file: string, shared: boolean) => plumbline.patch(`/api/ext/attachments/${file}`, { shared })
  expect((await change(own.id, true)).status).toBe(200)
  expect((await change(letter.id, false)).status).toBe(200)
  expect((await change(offer.id, false)).body).toMatchObject({ status: 409, reason: 'fixed' })
  expect([await ids(one), await ids(other)]).toEqual([[offer.id, own.id], [own.id]])
  expect([(await open(one, letter.id)).status, (await open(one, own.id)).status]).toEqual([404, 200])
})

test('the portal page of an invitation lists its files with download links', async () => {
  const { id, guests } = await newRequest()
  const [one, other] = guests as [Guest, Guest]
  const drawing = createPdf()
  await uploadFile(plumbline, drawing, { recordId: id, fileName: 'Walls & <roof>.pdf' })
  const { body: offer } = await handIn(one, createPdf())
  const at = (path: string) => fetch(`${plumbline.url}/portal/${path}`)
  const html = await (await at(one.token)).text()
  const links = [...html.matchAll(/href="\/portal\/([^"]+)" download>([^<]+)<\/a><small>([^<]+)</g)]
  expect(links.map(([, , name, about]) => [name, about])).toEqual([
    ['Offer.pdf', '1 kB, from you'],
    ['Walls &amp; -roof-.pdf', '1 kB'],
  ])
  const answer = await at(links[1]?.[1] ?? '')
  expect(Buffer.from(await answer.arrayBuffer()).equals(drawing)).toBe(true)
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="Walls & -roof-.pdf"')
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
  for (const path of [`${other.token}/${other.invitationId}`, `${other.token}/${one.invitationId}`])
    expect((await at(`${path}/files/${offer.id}`)).status).toBe(404)
})

test('a vendor can upload a file as JSON', async () => {
  const { guests } = await newRequest()
  const [one] = guests as [Guest, Guest]
  const content = Buffer.from('We can start in May.').toString('base64')
  const { body } = await plumbline.post(`${filesOf(one)}?fileName=note.txt`, { content }, { key: one.token })
  expect([body.contentType, body.size]).toEqual(['text/plain', 20])
})

test('a vendor can upload at most 20 files per invitation', async () => {
  const { guests } = await newRequest()
  const [one] = guests as [Guest, Guest]
  const answers = await Promise.all(Array.from({ length: 10 }, () => handIn(one, createPdf())))
  answers.push(...(await Promise.all(Array.from({ length: 10 }, () => handIn(one, createPdf())))))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect((await handIn(one, createPdf())).body).toMatchObject({
    reason: 'limit_reached',
    detail: 'The record already has 20 files, the maximum. Delete one first.',
  })
})

test('a vendor cannot upload files after a bid request is canceled', async () => {
  const { id, guests } = await newRequest()
  const [one] = guests as [Guest, Guest]
  await plumbline.post(`/api/ext/bids/requests/${id}/cancel`, { reason: 'Not needed.' })
  expect((await handIn(one, createPdf())).body).toMatchObject({ code: 'conflict', reason: 'bid_request_not_open' })
})

test("a vendor's files for a blind bid request are hidden from the builder until the request is closed", async () => {
  const { id, guests } = await newRequest({ blind: true })
  const [one] = guests as [Guest, Guest]
  const { body: offer } = await handIn(one, createPdf())
  const { body: letter } = await uploadFile(plumbline, createPdf(), { recordId: one.invitationId })
  const bid = { bidRequestId: id, vendorId: one.vendorId, amount: 39_850, source: 'email' }
  const { body: mailed } = await plumbline.post('/api/ext/bids', bid)
  const { body: scan } = await uploadFile(plumbline, createPdf(), { recordId: mailed.id })
  const statuses = async () =>
    Promise.all([offer, letter, scan].map(async (file) => (await downloadFile(plumbline, file.id)).status))
  expect(await statuses()).toEqual([409, 200, 409])
  expect((await open(one, offer.id)).status).toBe(200)
  expect((await plumbline.post(`/api/ext/bids/requests/${id}/close`, {})).status).toBe(200)
  expect(await statuses()).toEqual([200, 200, 200])
})
