import { sql } from 'kysely'
import type { PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { getOpenBalances } from '../../ledger/open-balances.ts'
import type { NewPosting } from '../../ledger/posting.ts'
import { recordPostings } from '../../ledger/record-postings.ts'
import { reverseEntries } from '../../ledger/reverse-entries.ts'
import { COMMITTED_STATUSES } from '../../statuses/order-statuses.ts'
import type { OrderProgress } from './progress.ts'

/** Posts the commitment that a status change of an order adds or removes. The posting date defaults to today. */
export async function postCommitment(
  call: WriteCall,
  before: PurchaseOrder,
  after: PurchaseOrder,
  on: string | null = null,
): Promise<void> {
  const [was, is] = [before, after].map(({ status }) => COMMITTED_STATUSES.includes(status))
  if (was === is) return
  const effectiveDate = on ?? toLocalDate(call.timeZone, call.now)
  const postings = after.lines.map((line) => {
    const amount = sum([line.total, line.taxAmount])
    return {
      ...getPostingKey(after, line),
      measure: 'commitment' as const,
      amount: is ? amount : subtract(0, amount),
      effectiveDate,
    }
  })
  await recordPostings(call, { postings, note: `${after.number} is ${after.status}.` })
}

/**
 * Posts the change in an order's completed work and stored materials since the previous progress. The amounts are
 * unbilled until a bill is approved.
 */
export async function postProgress(
  call: WriteCall,
  before: PurchaseOrder,
  after: OrderProgress,
  on: string = toLocalDate(call.timeZone, call.now),
): Promise<void> {
  const earlier = getDoneAmounts(before)
  const [storedBefore, storedAfter] = [getStoredAmounts(before), getStoredAmounts(after)]
  const postings = getDoneAmounts({ ...before, ...after }).flatMap(({ line, amount: done }, i): NewPosting[] => {
    const shared = {
      ...getPostingKey(before, line),
      amount: subtract(done, earlier[i]?.amount ?? 0),
      effectiveDate: on,
    }
    return [
      { ...shared, measure: 'cost' },
      { ...shared, measure: 'unbilled' },
      { ...shared, measure: 'stored', amount: subtract(storedAfter[i] ?? 0, storedBefore[i] ?? 0) },
    ]
  })
  await recordPostings(call, { postings, note: `Progress on ${before.number}.` })
}

/**
 * Returns the completed work and stored materials of each line. Assigns credits that count as completed early to the
 * first credit line.
 */
function getDoneAmounts(
  order: Pick<PurchaseOrder, 'lines' | 'total' | 'completedAmount' | 'storedAmount'>,
): { line: PurchaseOrderLine; amount: number }[] {
  const { lines, total, completedAmount, storedAmount } = order
  const done = lines.map((line) => sum([line.completedAmount, line.storedAmount]))
  const rest = subtract(sum([completedAmount, storedAmount]), sum(done))
  const credit = Math.max(
    lines.findIndex((line) => (total < 0 ? -1 : 1) * sum([line.total, line.taxAmount]) < 0),
    0,
  )
  return lines.map((line, i) => ({ line, amount: i === credit ? sum([done[i] ?? 0, rest]) : (done[i] ?? 0) }))
}

/**
 * Returns the stored materials of each line. If the order stores a different amount than its lines together, the first
 * line receives the difference.
 */
function getStoredAmounts({ lines, storedAmount }: Pick<PurchaseOrder, 'lines' | 'storedAmount'>): number[] {
  const stored = lines.map((line) => line.storedAmount)
  const rest = subtract(storedAmount, sum(stored))
  return stored.map((amount, i) => (i === 0 ? sum([amount, rest]) : amount))
}

/** Posts that all open amounts of an order were paid outside Plumbline. */
export async function postExternalPayment(call: WriteCall, { id, number }: PurchaseOrder): Promise<void> {
  const effectiveDate = toLocalDate(call.timeZone, call.now)
  const open = await getOpenBalances(call, ['unbilled', 'payable', 'retainage'], { poIds: [id] })
  const postings = open.flatMap((balance): NewPosting[] => [
    { ...balance, amount: subtract(0, balance.amount), effectiveDate },
    { ...balance, measure: 'paid', amount: balance.amount, effectiveDate },
  ])
  await recordPostings(call, { postings, note: `${number} was closed: it was paid outside Plumbline.` })
}

/**
 * Posts the remaining retainage of a closed order as paid. Retainage can remain if a deposit has paid the retainage of
 * the bills.
 */
export async function postClosing(call: WriteCall, { id, number }: PurchaseOrder): Promise<void> {
  const effectiveDate = toLocalDate(call.timeZone, call.now)
  const postings = (await getOpenBalances(call, ['retainage'], { poIds: [id] })).flatMap((balance): NewPosting[] => {
    const shared = { ...balance, billId: null, effectiveDate }
    return [
      { ...shared, amount: subtract(0, balance.amount) },
      { ...shared, measure: 'payable', amount: balance.amount },
    ]
  })
  await recordPostings(call, { postings, note: `${number} was closed.` })
}

/**
 * Reverses the postings of `postClosing` when an order is reopened. Only these retainage postings have neither a bill
 * nor a payment.
 */
export async function reverseClosing(call: WriteCall, { id, number }: PurchaseOrder): Promise<void> {
  const { rows } = await sql<{ entryId: string }>`
    select distinct "entryId" from "postings"
    where "organizationId" = ${call.organizationId} and "poId" = ${id} and "measure" = 'retainage' and "billId" is null
      and "paymentId" is null and "reversesEntryId" is null`.execute(call.db)
  for (const { entryId } of rows) await reverseEntries(call, { entryId }, { note: `${number} was reopened.` })
}

/** Returns the fields that all postings of an order line have in common. */
export function getPostingKey(
  { id, homeId, scope, vendorId }: Pick<PurchaseOrder, 'id' | 'homeId' | 'scope' | 'vendorId'>,
  { lineId, costCodeId }: Pick<PurchaseOrderLine, 'lineId' | 'costCodeId'>,
) {
  return { homeId, scope, costCodeId, vendorId, poId: id, poLineId: lineId }
}
