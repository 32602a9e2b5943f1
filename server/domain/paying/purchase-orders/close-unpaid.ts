import { sql } from 'kysely'
import type { Surroundings, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { beyond, type Due, type DuePage, lockFree, settleDue } from '../../../platform/due/settle-due.ts'
import * as orders from './queries.ts'
import { close } from './status.ts'

/** A closed order stays closed, so there is a day to undo a completion by mistake. */
const UNDO_MS = 24 * 60 * 60 * 1000

/** Closes completed orders with an amount of zero, because no payment will ever close them. */
export async function closeUnpaidOrders(surroundings: Surroundings): Promise<void> {
  await settleDue(surroundings, {
    what: 'orders to close',
    find: due,
    claim: lockDue,
    async settle(call, id) {
      await close(call, await orders.find(call, id), 'The order has nothing to pay.')
    },
  })
}

const before = ({ now }: { now: Date }) => new Date(now.getTime() - UNDO_MS)

// The conditions on the amounts must match those of the index purchaseOrders_unpaid.
const IS_UNPAID = sql`"status" = 'completed' and "completedAmount" = 0 and "paidAmount" = 0 and "reservedAmount" = 0`

async function due(db: Db, page: DuePage): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select "organizationId", "id" as "claimedId", "id", "completedAt"::text as "at" from "purchaseOrders"
    where ${IS_UNPAID} and "completedAt" <= ${before(page)} and ${beyond(page, 'completedAt', 'id')}
    order by "completedAt", "id" limit ${page.most}`.execute(db)
  return rows
}

function lockDue(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockFree(call, 'purchaseOrders', ids, sql`${IS_UNPAID} and "completedAt" <= ${before(call)}`)
}
