import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import { dateIn } from '../../platform/values/calendar.ts'
import type { NewPosting } from './posting.ts'
import { recordPostings } from './record-postings.ts'

/** Which entries to take back: all of a payment, all of a bill, or a single one. */
type Reversed = { paymentId: string } | { billId: string } | { entryId: string }

/**
 * Takes back the entries of a payment or a bill that have not been taken back yet, each by an entry of its own. A
 * reversal belongs to the day on which it is decided, so a closed month keeps its figures. Returns the IDs of the new
 * entries.
 */
export async function reverseEntries(
  call: WriteCall,
  of: Reversed,
  {
    note = null,
    effectiveDate = dateIn(call.timeZone, call.now),
  }: { note?: string | null; effectiveDate?: string } = {},
): Promise<string[]> {
  const [[column = '', id] = []] = Object.entries(of)
  const { rows } = await sql<NewPosting & { entryId: string }>`
    select "entryId", "measure", - "amount" as "amount", "homeId", "scope", "costCodeId", "vendorId", "poId", "poLineId",
      "billId", "paymentId", "saleId"
    from "postings" as p
    where "organizationId" = ${call.organizationId} and ${sql.ref(column)} = ${id} and "reversesEntryId" is null
      and not exists (select from "postings" as r where r."organizationId" = p."organizationId"
        and r."reversesEntryId" = p."entryId")
    order by "sequence"`.execute(call.db)
  const reversals: string[] = []
  for (const [entryId, group] of Map.groupBy(rows, (row) => row.entryId)) {
    const postings = group.map(({ entryId: _, ...posting }) => ({ ...posting, effectiveDate }))
    const reversal = await recordPostings(call, { postings, reversesEntryId: entryId, note })
    if (reversal !== null) reversals.push(reversal)
  }
  return reversals
}
