import Big from 'big.js'

/** The measures of a posting. The first group is part of the identity of costs (see `findImbalance`). */
export type Measure =
  | ('cost' | 'unbilled' | 'payable' | 'retainage' | 'paid' | 'discount' | 'withheldTax' | 'payroll' | 'other')
  | (
      | 'commitment'
      | 'budget'
      | 'contract'
      | 'ownerBilled'
      | 'ownerRetainage'
      | 'ownerReceived'
      | 'ownerDeposit'
      | 'loan'
      | 'stored'
    )

/** A posting to record. Omitted fields are stored as null. */
export interface NewPosting {
  measure: Measure
  /** The signed amount in the currency of the organization. Postings with an amount of zero are not stored. */
  amount: number
  /** The calendar date on which the posting takes effect. */
  effectiveDate: string
  homeId: string | null
  /** The name of the trade. */
  scope?: string | null
  costCodeId?: string | null
  vendorId?: string | null
  poId?: string | null
  poLineId?: string | null
  billId?: string | null
  paymentId?: string | null
  saleId?: string | null
}

/** The measures whose sum equals the cost. */
const SOURCES: readonly Measure[] = [
  ...(['unbilled', 'payable', 'retainage', 'paid', 'discount', 'withheldTax', 'payroll', 'other'] as const),
]

/**
 * Returns the first group of postings for which the identity of costs does not hold; null if it holds for all groups.
 * The identity applies to every combination of home, order, vendor, cost code, and date: cost = unbilled + payable +
 * retainage + paid + discount + withheldTax + payroll + other. The identity holds for each entry, and therefore for
 * every sum of entries.
 */
export function findImbalance(postings: readonly NewPosting[]): { key: string; difference: string } | null {
  const differences = new Map<string, Big>()
  for (const { measure, amount, effectiveDate, homeId, poId, vendorId, costCodeId } of postings) {
    const sign = measure === 'cost' ? 1 : SOURCES.includes(measure) ? -1 : 0
    if (sign === 0) continue
    const key = [effectiveDate, homeId, poId, vendorId, costCodeId].map((part) => part ?? '-').join(' ')
    differences.set(key, (differences.get(key) ?? new Big(0)).plus(new Big(amount).times(sign)))
  }
  for (const [key, difference] of differences) if (!difference.eq(0)) return { key, difference: difference.toFixed() }
  return null
}
