import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { closeDueBidRequests } from './close-due-bid-requests.ts'

const DAY_MS = 86_400_000

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())

const post = (path: string, body?: unknown): Promise<ServiceResponse> =>
  plumbline.post(`/api/ext/bids${path}`, body, { key: site.key })
/** Reads the table directly, because a read through the API would itself close the request. */
async function stored(id: string) {
  return plumbline.database.statements
    .selectFrom('bidRequests')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}
async function untilClosed(id: string): Promise<void> {
  await expect.poll(async () => (await stored(id)).status, { timeout: 10_000, interval: 20 }).toBe('closed')
}

test('a bid request is closed at its deadline even if no user reads it', async () => {
  const { body: request } = await post('/request', { ...site.framing(), deadline: site.day(1) })
  plumbline.clock.advance(3 * DAY_MS)
  await untilClosed(request.id)
  const closed = (await plumbline.get(`/api/ext/bids/requests/${request.id}`, { key: site.key })).body
  expect(closed).toMatchObject({
    status: 'closed',
    version: 3,
    invitations: [{ status: 'no_response' }, { status: 'no_response' }],
  })
  const last = (await listEvents(plumbline, site.organizationId, /^bid_request/)).at(-1)
  expect(last).toMatchObject({
    type: 'bid_request.updated',
    actor: { type: 'system', id: null },
    data: { previous: { status: 'sent' } },
  })
  expect(last?.data.object).toEqual(closed)
})

test('if several processes find the same due bid request, only one closes it', async () => {
  const ids: string[] = []
  for (let i = 0; i < 8; i++) ids.push((await post('/request', { ...site.framing(), deadline: site.day(1) })).body.id)
  plumbline.clock.advance(3 * DAY_MS)
  await Promise.all(Array.from({ length: 4 }, () => closeDueBidRequests(plumbline.app.services)))
  for (const id of ids) await untilClosed(id)
  const closings = (await listEvents(plumbline, site.organizationId, /^bid_request.updated/)).map(
    (event) => event.data.object.id,
  )
  for (const id of ids) expect(closings.filter((closed) => closed === id)).toHaveLength(1)
})

test('after the deadline of a bid request, every action treats it as closed, even before the job closes it', async () => {
  const { body: request } = await post('/request', { ...site.framing(), deadline: site.day(1) })
  plumbline.clock.advance(3 * DAY_MS)
  const extended = await plumbline.patch(
    `/api/ext/bids/requests/${request.id}`,
    { deadline: site.day(5) },
    { key: site.key },
  )
  expect(extended.body).toMatchObject({ status: 409, errors: [{ pointer: '/deadline', code: 'fixed' }] })
  const reopened = await post(`/requests/${request.id}/reopen`, { deadline: site.day(5) })
  expect(reopened.body).toMatchObject({ status: 'sent', deadline: site.day(5) })
  expect((await stored(request.id)).status).toBe('sent')
})

test('a draft bid request is not closed at its deadline', async () => {
  const { body: draft } = await post('/request', { ...site.framing(), deadline: site.day(1), sendNow: false })
  plumbline.clock.advance(3 * DAY_MS)
  const refused = await post(`/requests/${draft.id}/send`)
  expect(refused.body).toMatchObject({ status: 409, errors: [{ pointer: '/deadline', code: 'past' }] })
  await plumbline.patch(`/api/ext/bids/requests/${draft.id}`, { deadline: site.day(5) }, { key: site.key })
  expect((await post(`/requests/${draft.id}/send`)).body.status).toBe('sent')
})
