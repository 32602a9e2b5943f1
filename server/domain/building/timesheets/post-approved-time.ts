import type { TimeEntry } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { computeFirstOpenDay, shareLockClosedThroughDate } from '../../ledger/period.ts'
import type { NewPosting } from '../../ledger/posting.ts'
import { recordPostings } from '../../ledger/record-postings.ts'

/**
 * Posts approved time. Each entry is posted on its date or, if the period of this date is closed, on the first open
 * day.
 */
export async function postApprovedTime(call: WriteCall, approved: readonly TimeEntry[]): Promise<void> {
  const closed = await shareLockClosedThroughDate(call)
  const postings = approved.flatMap(({ homeId, scope, costCodeId, cost, date }): NewPosting[] => {
    const shared = { homeId, scope, costCodeId, amount: cost ?? 0, effectiveDate: computeFirstOpenDay(date, closed) }
    return [
      { ...shared, measure: 'cost' },
      { ...shared, measure: 'payroll' },
    ]
  })
  await recordPostings(call, { postings, note: 'Approved time.' })
}
