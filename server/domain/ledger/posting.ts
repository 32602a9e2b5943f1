import Big from 'big.js'

/** The measures of a posting. The first group is part of the ledger's identity; see `findImbalance`. */
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

/** A posting to record. Omitted fields are null. */
export interface NewPosting {
  measure: Measure
  /** Signed amount in the organization's currency. Postings of zero are omitted. */
  amount: number
  /** The calendar date for which the posting counts. */
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

/** The measures that together equal the cost; they have the opposite sign in the identity. */
const SOURCES: readonly Measure[] = [
  ...(['unbilled', 'payable', 'retainage', 'paid', 'discount', 'withheldTax', 'payroll', 'other'] as const),
]

/**
 * Returns the first group of postings for which the identity does not hold; null if it always holds. For every home,
 * order, vendor, cost code, and date, the identity is: cost = unbilled + payable + retainage + paid + discount +
 * withheldTax + payroll + other. The identity holds in each entry, and therefore in every sum of entries.
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
