import type { PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import type { NewPosting } from '../../ledger/posting.ts'
import { recordPostings } from '../../ledger/record-postings.ts'
import { COMMITTED_STATUSES } from '../../statuses/order-statuses.ts'

/** Posts what a move of an order commits the builder to, or no longer does. */
export async function postCommitment(call: WriteCall, before: PurchaseOrder, after: PurchaseOrder): Promise<void> {
  const [was, is] = [before, after].map(({ status }) => COMMITTED_STATUSES.includes(status))
  if (was === is) return
  const effectiveDate = dateIn(call.timeZone, call.now)
  const postings = after.lines.map((line) => {
    const amount = sum([line.total, line.taxAmount])
    return {
      ...getKey(after, line),
      measure: 'commitment' as const,
      amount: is ? amount : subtract(0, amount),
      effectiveDate,
    }
  })
  await recordPostings(call, { postings, note: `${after.number} is ${after.status}.` })
}

/** Posts the work that has been done of an order since it was last recorded; it is unbilled until a bill is approved. */
export async function postProgress(
  call: WriteCall,
  before: PurchaseOrder,
  lines: readonly PurchaseOrderLine[],
  on: string | null,
): Promise<void> {
  const effectiveDate = on ?? dateIn(call.timeZone, call.now)
  const earlier = new Map(before.lines.map(({ lineId, completedAmount }) => [lineId, completedAmount]))
  const postings = lines.flatMap((line): NewPosting[] => {
    const amount = subtract(line.completedAmount, earlier.get(line.lineId) ?? 0)
    const shared = { ...getKey(before, line), amount, effectiveDate }
    return [
      { ...shared, measure: 'cost' },
      { ...shared, measure: 'unbilled' },
    ]
  })
  await recordPostings(call, { postings, note: `Progress of ${before.number}.` })
}

/** What every posting about a line of an order has in common. */
export function getKey(
  { id, homeId, scope, vendorId }: Pick<PurchaseOrder, 'id' | 'homeId' | 'scope' | 'vendorId'>,
  { lineId, costCodeId }: Pick<PurchaseOrderLine, 'lineId' | 'costCodeId'>,
) {
  return { homeId, scope, costCodeId, vendorId, poId: id, poLineId: lineId }
}
