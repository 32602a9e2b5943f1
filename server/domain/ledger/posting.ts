import Big from 'big.js'

/** The measures of a posting. The first group is in the identity of the ledger; see `findImbalance`. */
export type Measure =
  | ('cost' | 'unbilled' | 'payable' | 'retainage' | 'paid' | 'discount' | 'withheldTax' | 'payroll' | 'other')
  | ('commitment' | 'budget' | 'contract' | 'ownerBilled' | 'ownerRetainage' | 'ownerReceived' | 'loan')

/** A posting to record. Fields that are left out are null. */
export interface NewPosting {
  measure: Measure
  /** In the currency of the organization, signed. Postings of zero are left out. */
  amount: number
  /** The calendar date for which it counts. */
  effectiveDate: string
  homeId: string | null
  /** The trade, as its name. */
  scope?: string | null
  costCodeId?: string | null
  vendorId?: string | null
  poId?: string | null
  poLineId?: string | null
  billId?: string | null
  paymentId?: string | null
  saleId?: string | null
}

/** Each cost is one of these, with the opposite sign. */
const SOURCES: readonly Measure[] = [
  ...(['unbilled', 'payable', 'retainage', 'paid', 'discount', 'withheldTax', 'payroll', 'other'] as const),
]

/**
 * The first group of postings for which the identity does not hold: for every home, order, vendor, cost code and date,
 * cost = unbilled + payable + retainage + paid + discount + withheldTax + payroll + other. Null if it holds. Because it
 * holds in each entry, it holds in every sum of entries.
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
