import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { buildSite } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import * as bidRequests from '../../domain/bidding/bid-requests/queries.ts'
import { createSystemCall } from '../keys/principals.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

// The embedded database has only one connection, so no statement waits for a lock.
const locked = test.skipIf(inject('postgres') === null)

locked(
  'a change that waited for a lock uses the values of the previous change, including computed fields',
  async () => {
    const { database } = plumbline
    const site = await buildSite(plumbline)
    const { body: request } = await plumbline.post('/api/ext/bids/request', site.framing(), { key: site.key })
    const [held, mayEnd] = [signal(), signal()]
    const call = () => createSystemCall(plumbline.app.services, site.organizationId)
    const first = (await call()).write(async (call) => {
      await bidRequests.lock(call, request.id)
      held.give()
      await mayEnd.given
      await call.db
        .updateTable('bidRequests')
        .set({ title: 'Framing' })
        .where('organizationId', '=', site.organizationId)
        .where('id', '=', request.id)
        .execute()
      await call.db
        .updateTable('invitations')
        .set({ remindersSent: 7 })
        .where('organizationId', '=', site.organizationId)
        .where('bidRequestId', '=', request.id)
        .execute()
    })
    await held.given
    const second = (await call()).write((call) => bidRequests.lock(call, request.id))
    const waiting = async () => {
      const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        database.statements,
      )
      return rows[0]?.count
    }
    await expect.poll(waiting).toBe(1)
    mayEnd.give()
    await first
    const { title, invitations } = await second
    expect([title, ...invitations.map((invitation) => invitation.remindersSent)]).toEqual(['Framing', 7, 7])
  },
)

test('no change is lost if one record is changed concurrently', async () => {
  const { id } = (await plumbline.post('/api/ext/vendors', { companyName: 'Redrock Carpentry' })).body
  const names = Array.from({ length: 20 }, (_, i) => `Contact ${i}`)
  const change = (contactName: string) => plumbline.patch(`/api/ext/vendors/${id}`, { contactName })
  const answers = await Promise.all(names.map(change))
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
  const target = `/api/ext/events?type=vendor.updated&resourceId=${id}&limit=100`
  const { data } = (await plumbline.until(target, ({ body }) => body.data.length >= names.length)).body
  type Told = { data: { object: { version: number; contactName: string }; previous: { contactName: string | null } } }
  const reported = (data as Told[]).map((event) => event.data).sort((a, b) => a.object.version - b.object.version)
  expect(reported.map(({ object }) => object.version)).toEqual(names.map((_, i) => i + 2))
  expect(reported.map(({ object }) => object.contactName).sort()).toEqual([...names].sort())
  expect(reported.map(({ previous }) => previous.contactName)).toEqual([
    null,
    ...reported.slice(0, -1).map(({ object }) => object.contactName),
  ])
})

test('an update returns the same fields and values as a later read', async () => {
  const { body: created } = await plumbline.post('/api/ext/vendors', { companyName: 'Hill Country Framers' })
  const sent = {
    poLimit: 1250.5,
    scopes: ['Framing'],
    address: { city: 'Marfa' },
    paymentTerms: { netDays: 10 },
    phone: null,
  }
  const changed = await plumbline.patch(`/api/ext/vendors/${created.id}`, sent)
  expect(changed.body).toMatchObject({ version: 2, poLimit: 1250.5 })
  const read = await plumbline.get(`/api/ext/vendors/${created.id}`)
  expect(changed.body).toEqual(read.body)
  expect(changed.headers.get('etag')).toBe(read.headers.get('etag'))
})

test('if a change is rejected, the trade that the change created is also removed', async () => {
  const { id } = (await plumbline.post('/api/ext/vendors', { companyName: 'Lone Star Framing', accountingId: 'V-1' }))
    .body
  const other = (await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })).body
  const change = (body: object, headers = {}) => plumbline.patch(`/api/ext/vendors/${other.id}`, body, { headers })
  const stale = await change({ scopes: ['Stucco'] }, { 'if-match': '"9"' })
  const taken = await change({ scopes: ['Stucco'], accountingId: 'V-1' })
  expect([stale.body.code, taken.body.reason, taken.body.conflictingId]).toEqual([
    'precondition_failed',
    'value_taken',
    id,
  ])
  expect((await change({ accountingId: 'V-1' })).body.conflictingId).toBe(id)
  expect((await plumbline.get('/api/ext/scopes?name=Stucco')).body.data).toEqual([])
  const { contactName: _, ...kept } = (await plumbline.get(`/api/ext/vendors/${other.id}`)).body
  expect(other).toMatchObject(kept)
})

locked('a change of a locked record waits for the lock, while other requests are served', async () => {
  const make = async (companyName: string) => (await plumbline.post('/api/ext/vendors', { companyName })).body.id
  const [held, free] = [await make('Held Framing'), await make('Free Framing')]
  const [isHeld, mayEnd] = [signal(), signal()]
  const holding = plumbline.database.transaction(async (trx) => {
    await sql`select from "vendors" where "id" = ${held} for update`.execute(trx)
    isHeld.give()
    await mayEnd.given
  })
  await isHeld.given
  const change = (id: string) => plumbline.patch(`/api/ext/vendors/${id}`, { contactName: 'Dale' })
  // The number must be lower than the number of connections that one organization can use at a time.
  const waiting = Promise.all(Array.from({ length: 6 }, () => change(held)))
  const others = await Promise.all(Array.from({ length: 12 }, () => make('Other Framing')))
  expect((await change(free)).status).toBe(200)
  expect(others).toHaveLength(12)
  mayEnd.give()
  await holding
  expect((await waiting).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
})

function signal(): { give: () => void; given: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { give: resolve, given: promise }
}
