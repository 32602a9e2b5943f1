import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { buildSite } from '../../test/support/site.ts'
import * as bidRequests from '../bidding/bid-requests/queries.ts'
import { systemCall } from '../keys/principals.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

// The embedded database has a single connection, so nothing ever waits for a lock.
const locked = test.skipIf(inject('postgres') === null)

locked('whoever waited for a lock is given what the one before has left, in computed fields too', async () => {
  const { database } = plumbline
  const site = await buildSite(plumbline)
  const { body: request } = await plumbline.post('/api/ext/bids/request', site.framing(), { key: site.key })
  const [held, mayEnd] = [signal(), signal()]
  const call = () => systemCall(plumbline.app.surroundings, site.organizationId)
  const first = (await call()).write(async (call) => {
    await bidRequests.lock(call, request.id)
    held.give()
    await mayEnd.given
    await call.db.updateTable('bidRequests').set({ title: 'Framing' }).where('id', '=', request.id).execute()
    await call.db.updateTable('invitations').set({ remindersSent: 7 }).where('bidRequestId', '=', request.id).execute()
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
})

function signal(): { give: () => void; given: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { give: resolve, given: promise }
}
