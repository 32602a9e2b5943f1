import type { PriceIssue } from '../../../client/contract.gen.ts'

/** The reasons why a part has no price. */
export const PRICE_ISSUE_WORDS: Readonly<Record<PriceIssue, string>> = {
  no_price: 'has no price',
  expired: 'its price has expired',
  not_yet_effective: 'its price is not valid yet',
  elsewhere: 'priced for other communities or plans',
  below_minimum: 'its price needs a larger quantity',
  vendor_not_active: 'its vendor is not active',
}
