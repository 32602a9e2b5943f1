import type { Sale, SaleBuyer, SaleBuyerInput, SaleStatus, SaleUpdate } from '../../../../client/contract.gen.ts'
import { conflict, invalidTransition, validationFailed } from '../../../platform/problems/problem.ts'
import { formatList } from '../../../platform/values/format.ts'
import { isWithinMoneyRange, sum } from '../../../platform/values/money.ts'

export const SALE_MOVES: Readonly<Record<SaleStatus, readonly SaleStatus[]>> = {
  pending: ['approved', 'cancelled'],
  // A sale is complete when its last stage is complete.
  approved: ['pipeline_complete', 'cancelled'],
  pipeline_complete: [],
  cancelled: [],
}

/** The terms that cannot change after the sale is approved. */
const PRICE_TERMS = ['basePrice', 'lotPremium', 'incentives', 'discounts'] as const

type PriceTerms = Pick<Sale, (typeof PRICE_TERMS)[number]>

/** Returns the price of a sale, excluding options. */
export function sumPriceTerms({ basePrice, lotPremium, incentives, discounts }: PriceTerms): number {
  return sum([basePrice, lotPremium, -incentives, -discounts])
}

/** Throws if the price is negative or too large to store. */
export function assertValidSalePrice(sale: PriceTerms & Pick<Sale, 'optionsTotal'>): void {
  const total = sum([sumPriceTerms(sale), sale.optionsTotal])
  if (total < 0)
    throw validationFailed([
      { pointer: '/discounts', code: 'maximum', message: 'must not exceed the price when added to the incentives' },
    ])
  if (!isWithinMoneyRange(total) || !isWithinMoneyRange(sumPriceTerms(sale)))
    throw validationFailed([
      { pointer: '/basePrice', code: 'maximum', message: 'must not raise the total above the maximum price of a home' },
    ])
}

type CommissionTerms = Pick<SaleUpdate, 'commissionPercent' | 'commissionAmount'>

/** Returns the commission in the request. Setting the percentage clears the amount, and vice versa. */
export function resolveCommission({ commissionPercent, commissionAmount }: CommissionTerms): CommissionTerms {
  if (commissionPercent != null && commissionAmount != null)
    throw validationFailed([
      { pointer: '/commissionAmount', code: 'exclusive', message: 'cannot be combined with commissionPercent' },
    ])
  return {
    commissionPercent: commissionAmount == null ? commissionPercent : null,
    commissionAmount: commissionPercent == null ? commissionAmount : null,
  }
}

export function toBuyers(buyers: readonly SaleBuyerInput[]): SaleBuyer[] {
  return buyers.map(({ name, email = null, phone = null }) => ({ name, email, phone }))
}

/** Throws if the request changes fields that are fixed in the status of the sale. */
export function assertFieldsChangeable(sale: Sale, body: SaleUpdate): void {
  const { externalId: _, ...rest } = body
  const isTouched = Object.values(rest).some((value) => value !== undefined)
  if (isTouched) assertSaleOpen(sale)
  if (sale.status !== 'approved') return
  const fixed = PRICE_TERMS.filter((field) => body[field] !== undefined && body[field] !== sale[field])
  if (fixed.length > 0)
    throw conflict('wrong_status', `Cannot change ${formatList(fixed)}: ${sale.number} has been approved.`)
}

/** Throws if the sale is complete or canceled. */
export function assertSaleOpen(sale: Pick<Sale, 'number' | 'status'>): void {
  assertSaleNotCanceled(sale)
  if (sale.status === 'pipeline_complete')
    throw conflict('wrong_status', `Cannot change ${sale.number}: the sale is complete.`)
}

/** Throws if the sale is canceled. Deposits and contingencies can still be recorded after all stages are complete. */
export function assertSaleNotCanceled({ number, status }: Pick<Sale, 'number' | 'status'>): void {
  if (status === 'cancelled') throw conflict('wrong_status', `Cannot change ${number}: the sale is canceled.`)
}

/** Throws if the status change is not possible. */
export function assertSaleTransition({ status }: Pick<Sale, 'status'>, to: SaleStatus): void {
  const allowed = SALE_MOVES[status]
  if (!allowed.includes(to)) throw invalidTransition(status, to, allowed)
}
