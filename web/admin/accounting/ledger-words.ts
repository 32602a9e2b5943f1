import type { LedgerType, Measure } from '../../../client/contract.gen.ts'

/** The kinds of records in accounting, in the order in which an accountant enters them. */
export const LEDGER_TYPE_WORDS = {
  vendor: ['Vendor', 'Vendors'],
  community: ['Community', 'Communities'],
  home: ['Home', 'Homes'],
  cost_code: ['Cost code', 'Cost codes'],
  contract: ['Contract', 'Contracts'],
  po: ['Order', 'Orders'],
  bill: ['Bill', 'Bills'],
  payment: ['Payment', 'Payments'],
  journal: ['Journal', 'Journals'],
} as const satisfies Record<LedgerType, readonly [one: string, several: string]>

export const LEDGER_TYPES = Object.keys(LEDGER_TYPE_WORDS) as LedgerType[]

/** The options of a choice between kinds of records. */
export const LEDGER_TYPE_OPTIONS = LEDGER_TYPES.map((value) => ({ value, label: LEDGER_TYPE_WORDS[value][1] }))

export function isLedgerType(value: string | null): value is LedgerType {
  return LEDGER_TYPES.some((type) => type === value)
}

/** The balances of the cost side of the ledger, whose sum is the cost. */
export const COST_MEASURES = [
  ['unbilled', 'Completed, not billed'],
  ['payable', 'Approved bills to pay'],
  ['retainage', 'Retainage held'],
  ['paid', 'Paid'],
  ['discount', 'Discounts taken'],
  ['withheldTax', 'Tax withheld'],
  ['payroll', 'Time of employees'],
  ['other', 'Journals'],
] as const satisfies readonly (readonly [Measure, string])[]

/** The balances of the ledger. The first is the cost, and the ones below it are its parts. */
export const MEASURE_WORDS = {
  cost: 'Cost',
  ...(Object.fromEntries(COST_MEASURES) as Record<(typeof COST_MEASURES)[number][0], string>),
  stored: 'Materials stored',
  commitment: 'Approved orders',
  budget: 'Locked budgets',
  contract: 'Prices of approved sales',
  ownerBilled: 'Billed to buyers',
  ownerRetainage: 'Retainage held by buyers',
  ownerReceived: 'Received from buyers',
  ownerDeposit: 'Deposits held from buyers',
  loan: 'Loan draws to repay',
} as const satisfies Record<Measure, string>

export const MEASURES = Object.keys(MEASURE_WORDS) as Measure[]

export function isCostPart(measure: Measure): boolean {
  return COST_MEASURES.some(([part]) => part === measure)
}
