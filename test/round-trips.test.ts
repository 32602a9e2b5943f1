import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { type Answer, startTestPlumbline, type TestPlumbline } from './support/plumbline.ts'
import { buildSite, type Site } from './support/site.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

interface Packet {
  text?: string
  preambles?: readonly { statement: { text: string } }[]
}

/** How often the one transaction of the builder that the work makes waits for the database. */
async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  await work()
  const sent = query.mock.calls.map(([packet], i) => {
    const { text = '', preambles = [] } = packet as Packet
    return { client: query.mock.contexts[i], texts: [...preambles.map(({ statement }) => statement.text), text] }
  })
  query.mockRestore()
  const begins = sent.findIndex(({ texts }) => texts[0] === 'begin' && texts[1]?.includes(`set_config('role'`))
  const own = sent.slice(begins).filter(({ client }) => client === sent[begins]?.client)
  return 1 + own.findIndex(({ texts }) => texts.at(-1) === 'commit')
}

// The embedded database is waited for within the process.
test.skipIf(inject('postgres') === null)(
  'an order and a bid request wait for the database twice, and an award five times',
  async () => {
    const answers: Answer[] = []
    const post = async (path: string, body: object) => {
      const answer = await plumbline.post(`/api/ext${path}`, body, { key: site.key })
      answers.push(answer)
      return answer.body
    }
    const lines = [{ description: 'Framing labor', quantity: 1, unitPrice: 18_000 }]
    const order = { homeId: site.lot15, vendorId: site.loneStar, scope: 'framing', lines }
    // The first of a home looks up what its numbers begin with, and the first to a vendor changes it.
    await post('/purchase-orders', order)
    await post('/bids/request', site.framing())
    const request = await post('/bids/request', site.framing())
    const bid = await post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 18_000 })
    const trips = [
      await roundTrips(() => post('/purchase-orders', order)),
      await roundTrips(() => post('/bids/request', site.framing())),
      await roundTrips(() => post(`/bids/${bid.id}/accept`, {})),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201, 200])
    expect(trips).toEqual([2, 2, 5])
  },
)
