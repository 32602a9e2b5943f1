import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import type { NewPosting } from './posting.ts'
import { recordPostings } from './record-postings.ts'

/** The entries to reverse: all entries of a payment, all entries of a bill, or one entry. */
type Reversed = { paymentId: string } | { billId: string } | { entryId: string }

/**
 * Reverses the entries that have not been reversed yet. Each reversal is a separate entry. If a bill is reversed, the
 * postings of its payments remain, such as the release of its retainage. If an entry belongs to several bills or
 * payments, such as the move of a merged vendor's balances, only the postings of the given bill or payment are
 * reversed. By default, a reversal is posted today, so that the figures of closed months do not change. Returns the IDs
 * of the new entries.
 */
export async function reverseEntries(
  call: WriteCall,
  of: Reversed,
  {
    note = null,
    effectiveDate = toLocalDate(call.timeZone, call.now),
  }: { note?: string | null; effectiveDate?: string } = {},
): Promise<string[]> {
  const [[column = '', id] = []] = Object.entries(of)
  const { rows } = await sql<NewPosting & { entryId: string }>`
    select "entryId", "measure", - "amount" as "amount", "homeId", "scope", "costCodeId", "vendorId", "poId", "poLineId",
      "billId", "paymentId", "saleId"
    from "postings" as p
    where "organizationId" = ${call.organizationId} and ${sql.ref(column)} = ${id} and "reversesEntryId" is null
      ${'billId' in of ? sql`and "paymentId" is null` : sql``}
      and not exists (select from "postings" as r where r."organizationId" = p."organizationId"
        and r."reversesEntryId" = p."entryId" and r.${sql.ref(column === 'entryId' ? 'reversesEntryId' : column)} = ${id})
    order by "sequence"`.execute(call.db)
  const reversals: string[] = []
  for (const [entryId, group] of Map.groupBy(rows, (row) => row.entryId)) {
    const postings = group.map(({ entryId: _, ...posting }) => ({ ...posting, effectiveDate }))
    const reversal = await recordPostings(call, { postings, reversesEntryId: entryId, note })
    if (reversal !== null) reversals.push(reversal)
  }
  return reversals
}
