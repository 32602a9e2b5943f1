import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { subtract } from '../../platform/values/money.ts'
import type { NewPosting } from './posting.ts'
import { recordPostings } from './record-postings.ts'

/**
 * Moves the current balances of a vendor to the vendor into which it was merged. Earlier postings keep the former
 * vendor.
 */
export async function moveVendorBalances(
  call: WriteCall,
  { keepId, mergeId }: { keepId: string; mergeId: string },
): Promise<void> {
  const { rows } = await sql<Omit<NewPosting, 'effectiveDate'>>`
    select "measure", sum("amount") as "amount", "homeId", "scope", "costCodeId", "poId", "poLineId", "billId", "paymentId",
      "saleId"
    from "postings" where "organizationId" = ${call.organizationId} and "vendorId" = ${mergeId}
    group by "measure", "homeId", "scope", "costCodeId", "poId", "poLineId", "billId", "paymentId", "saleId"
    having sum("amount") <> 0`.execute(call.db)
  const effectiveDate = toLocalDate(call.timeZone, call.now)
  const postings = rows.flatMap((row): NewPosting[] => [
    { ...row, vendorId: mergeId, amount: subtract(0, row.amount), effectiveDate },
    { ...row, vendorId: keepId, effectiveDate },
  ])
  await recordPostings(call, { postings, note: 'The vendor was merged into another vendor.' })
}
