import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { SentStatement } from '../server/platform/database/pool-driver.ts'
import { buildSite, type Site } from './support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from './support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

/**
 * Returns the statements that a request sends for its organization. Leaves out the statements of the job that indexes
 * changes.
 */
async function getStatements(work: () => Promise<ServiceResponse>): Promise<string[]> {
  const texts: string[] = []
  const note = (message: unknown) => {
    const { text, narrow } = message as SentStatement
    if (narrow && !/"search(?:Queue|Words|Texts)"/.test(text)) texts.push(text)
  }
  subscribe('plumbline:statement', note)
  try {
    const { status, body } = await work()
    expect([status, body.detail]).toEqual([expect.toBeOneOf([200, 201]), undefined])
  } finally {
    unsubscribe('plumbline:statement', note)
  }
  return texts
}

// The number of statements matters on PostgreSQL, where each statement is a round trip. It is the same on the embedded
// database.
test.skipIf(inject('postgres') === null)('heavy operations send a bounded number of statements', async () => {
  const post = (path: string, body: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
  const lines = [{ description: 'Framing labor', quantity: 1, unitPrice: 18_000 }]
  const order = { homeId: site.lot15, vendorId: site.loneStar, scope: 'framing', lines }
  const { body: request } = await post('/bids/request', site.framing())
  const { body: bid } = await post('/bids', { bidRequestId: request.id, vendorId: site.loneStar, amount: 18_000 })
  const budget = () => plumbline.get(`/api/ext/homes/${site.lot15}/budget`, { key: site.key })
  const before = (await getStatements(budget)).length
  for (let i = 0; i < 5; i++) await post('/purchase-orders', order)
  // One of these statements looks for numbers of migrated orders, so that the new order does not get one of them.
  expect((await getStatements(() => post('/purchase-orders', order))).length).toBeLessThanOrEqual(10)
  expect((await getStatements(() => post('/bids/request', site.framing()))).length).toBeLessThanOrEqual(10)
  // The bid and the request are read again after each update, because statements do not compute values in RETURNING.
  expect((await getStatements(() => post(`/bids/${bid.id}/accept`, {}))).length).toBeLessThanOrEqual(15)
  // The number of statements does not depend on the number of the home's orders.
  expect((await getStatements(budget)).length).toBe(before)
})
