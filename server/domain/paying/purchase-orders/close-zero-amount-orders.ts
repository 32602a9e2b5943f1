import { sql } from 'kysely'
import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  processDueItems,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'
import { closeOrder } from './move-order.ts'
import * as orders from './queries.ts'

/**
 * A closed order without payments cannot be reopened. The delay of one day leaves time to undo a mistaken completion.
 */
const UNDO_MS = 24 * 60 * 60 * 1000

/** Closes completed orders with a total of zero, because no payment ever closes them. */
export async function closeZeroAmountOrders(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'orders to close',
    find: findUnpaidOrders,
    claim: lockUnpaidOrders,
    async settle(call, id) {
      await closeOrder(call, await orders.find(call, id), 'Closed automatically because no payment is due.')
    },
  })
}

const undoLimit = ({ now }: { now: Date }) => new Date(now.getTime() - UNDO_MS)

// These conditions must match the conditions of the index purchaseOrders_unpaid.
const IS_UNPAID_SQL = sql`"status" = 'completed' and "completedAmount" = 0 and "paidAmount" = 0 and "reservedAmount" = 0`

export const toZeroAmountOrdersSql: DueSql = (now) => sql`
  select "organizationId" from "purchaseOrders" where ${IS_UNPAID_SQL} and "completedAt" <= ${undoLimit({ now })}`

async function findUnpaidOrders(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "completedAt"::text as "at" from "purchaseOrders"
    where ${IS_UNPAID_SQL} and "completedAt" <= ${undoLimit(page)} and ${toAfterPositionSql(page, 'completedAt', 'id')}
    order by "completedAt", "id" limit ${page.most}`.execute(db)
  return rows
}

function lockUnpaidOrders(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(
    call,
    'purchaseOrders',
    ids,
    sql`${IS_UNPAID_SQL} and "completedAt" <= ${undoLimit(call)}`,
  )
}
