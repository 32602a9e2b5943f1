import { request } from 'node:http'
import { setInterval as every } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf } from '../../../test/support/files.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/**
 * These tests upload at 50 kB/s with a time limit of 60 seconds per request. Both are sped up by this factor, so that
 * uploading 25 MB takes seconds. With UPLOAD_SPEEDUP=1, the tests run at real speed and take ten minutes.
 */
const SPEEDUP = Number(process.env.UPLOAD_SPEEDUP ?? 60)
const BYTES_PER_SECOND = 50_000 * SPEEDUP
const PIECES_PER_SECOND = 20
const MEGABYTE = 1_000_000

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline({ REQUEST_TIMEOUT_SECONDS: String(60 / SPEEDUP) })
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

/** Sends a price form with a file at the speed of the simulated connection. Returns the response. */
async function sendSlowly(path: string, file: Buffer) {
  const field = (name: string, value: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = `${field('by', 'lines')}${field('p0', '9.5')}--x\r\nContent-Disposition: form-data; name="file"; filename="Quote.pdf"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--x--\r\n')])
  const sending = request(plumbline.url + path, {
    ...{
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': body.length },
    },
  })
  const response = new Promise<{ status: number | undefined; location: string | undefined }>((done, fail) => {
    sending.once('error', fail)
    sending.once('response', (received) => {
      received.resume()
      done({ status: received.statusCode, location: received.headers.location })
    })
  })
  const piece = Math.ceil(BYTES_PER_SECOND / PIECES_PER_SECOND)
  let sent = 0
  for await (const _ of every(1000 / PIECES_PER_SECOND)) {
    sending.write(body.subarray(sent, sent + piece))
    sent += piece
    if (sent >= body.length) break
  }
  sending.end()
  return response
}

test.each([1, 9, 25])(
  'a file of %i MB arrives over a connection of 50 kB/s, together with the typed price',
  async (megabytes) => {
    const lines = [{ lineId: 'walls', description: 'Walls', quantity: 10, unit: 'SF' }]
    const asked = { ...site.framing(), lines, bidType: 'unit_price' }
    const { body } = await plumbline.post('/api/ext/bids/request', asked, { key: site.key })
    const [{ id }] = body.invitations
    const root = new URL(await plumbline.mailedLink(id)).pathname
    const price = `${root}/${id}/price`
    const file = createPdf(megabytes * MEGABYTE)
    expect(await sendSlowly(price, file)).toEqual({ status: 303, location: `${price}?done=saved` })
    const key = root.split('/').at(-1) ?? ''
    const { body: files } = await plumbline.get(`/api/portal/invitations/${id}/attachments`, { key })
    expect(files.data).toMatchObject([{ fileName: 'Quote.pdf', size: file.length }])
    const { body: bid } = await plumbline.get(`/api/portal/invitations/${id}/bid`, { key })
    expect(bid.draft.lines).toMatchObject([{ unitPrice: 9.5 }])
  },
  1_200_000 / Math.min(SPEEDUP, 10),
)
