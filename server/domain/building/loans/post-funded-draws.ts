import type { WriteCall } from '../../../platform/calls/call.ts'
import { toPostingDate } from '../../ledger/period.ts'
import { postDifference } from '../../ledger/post-difference.ts'
import * as loans from './queries.ts'

/**
 * Posts the difference between the funded draws of a locked home and their postings. A draw that an earlier version of
 * Plumbline funded during an upgrade has no posting.
 *
 * @param on date of the document that changes the amount
 */
export async function postFundedDraws(call: WriteCall, homeId: string, on: string, note: string): Promise<void> {
  const now = [{ homeId, amount: await loans.sumFundedDraws(call, homeId) }]
  const effectiveDate = await toPostingDate(call, on)
  await postDifference(call, { measure: 'loan', of: { homeId }, now, effectiveDate, note })
}
