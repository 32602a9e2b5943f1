import { sql } from 'kysely'
import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import {
  afterPosition,
  type DueItem,
  type DuePage,
  lockAvailable,
  settleDueItems,
} from '../../../platform/due/settle-due.ts'
import { closeOrder } from './change-status.ts'
import * as orders from './queries.ts'

/** A closed order stays closed, so there is a day to undo a completion by mistake. */
const UNDO_MS = 24 * 60 * 60 * 1000

/** Closes completed orders with an amount of zero, because no payment will ever close them. */
export async function closeUnpaidOrders(services: Services): Promise<void> {
  await settleDueItems(services, {
    what: 'orders to close',
    find: findUnpaidOrders,
    claim: lockUnpaidOrders,
    async settle(call, id) {
      await closeOrder(call, await orders.find(call, id), 'The order has nothing to pay.')
    },
  })
}

const undoLimit = ({ now }: { now: Date }) => new Date(now.getTime() - UNDO_MS)

// The conditions on the amounts must match those of the index purchaseOrders_unpaid.
const IS_UNPAID_SQL = sql`"status" = 'completed' and "completedAmount" = 0 and "paidAmount" = 0 and "reservedAmount" = 0`

async function findUnpaidOrders(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "completedAt"::text as "at" from "purchaseOrders"
    where ${IS_UNPAID_SQL} and "completedAt" <= ${undoLimit(page)} and ${afterPosition(page, 'completedAt', 'id')}
    order by "completedAt", "id" limit ${page.most}`.execute(db)
  return rows
}

function lockUnpaidOrders(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailable(call, 'purchaseOrders', ids, sql`${IS_UNPAID_SQL} and "completedAt" <= ${undoLimit(call)}`)
}
