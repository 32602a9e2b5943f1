import { type Kysely, sql } from 'kysely'
import { allowPostingErasure } from '../../server/domain/ledger/erasure.ts'
import type { Database } from '../../server/platform/database/database.ts'
import * as postedHistory from '../../server/platform/database/migrations/0470_posted_history.ts'
import * as billsOfPayments from '../../server/platform/database/migrations/0501_bills_of_payments.ts'
import * as billPostings from '../../server/platform/database/migrations/0502_bill_postings.ts'
import { postOwnerHistory } from '../../server/platform/database/migrations/0721_owner_postings.ts'

/**
 * Removes the bills and their postings of all builders, which restores the tables from before bills existed. Then
 * migrates the posted history, the bills for payments, their postings, and the postings of buyers' payments.
 */
export async function migrateToBills(database: Database): Promise<void> {
  await database.transaction(async (trx) => {
    await allowPostingErasure(trx)
    await sql`update "paymentAllocations" set "billId" = null, "dueDate" = null, "discountDueDate" = null,
      "discountAmount" = 0, "discountTaken" = 0`.execute(trx)
    for (const table of ['billOrders', 'billLines', 'bills', 'billNumbers', 'postings', 'ledgers'])
      await sql`delete from ${sql.table(table)}`.execute(trx)
    await sql`update "purchaseOrders" set "billedAmount" = 0, "releasingAmount" = 0, "requiredRetainage" = 0,
      "rootPoId" = null, "paidElsewhere" = null`.execute(trx)
    for (const { up } of [postedHistory, billsOfPayments, billPostings]) await up(trx as unknown as Kysely<unknown>)
    await postOwnerHistory(trx as unknown as Kysely<unknown>)
  })
}
