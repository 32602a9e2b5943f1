import type { FoundPrice, PassedOverPrice, Price, PriceIssue, PriceSource } from '../../../../client/contract.gen.ts'
import { conflict, type Problem, validationFailed } from '../../../platform/problems/problem.ts'
import { formatDate, formatNumber } from '../../../platform/values/format.ts'
import { computeLineTotal } from '../../../platform/values/money.ts'

/** The part, place, and date for which a price is needed. */
export interface PriceRequest {
  readonly communityId: string | null
  readonly planId: string | null
  readonly on: string
}

/** A price, with the status of its vendor. */
export interface PriceCandidate {
  readonly price: Price
  readonly isVendorActive: boolean
}

type PriceFault = Exclude<PriceIssue, 'no_price'>

/** The fields of a price that are compared to detect overlaps. */
export type PriceTerm = Pick<Price, 'id' | 'unitPrice' | 'effectiveDate' | 'expirationDate'>

/**
 * Returns the problem for a price that overlaps another price of the same vendor for the same place, plan, and
 * quantity. The problem contains the possible remedies.
 */
export function createOverlapProblem(other: PriceTerm, requested: Pick<PriceTerm, 'effectiveDate'>): Problem {
  const { id, unitPrice, effectiveDate, expirationDate } = other
  const period = `${formatDate(effectiveDate)}${expirationDate === null ? '' : ` to ${formatDate(expirationDate)}`}`
  const remedy =
    effectiveDate < requested.effectiveDate
      ? 'Set endPrevious to end that price the day before.'
      : `Set expirationDate to a date before ${formatDate(effectiveDate)}.`
  return conflict(
    'period_taken',
    `Cannot save the price: it overlaps the price ${id} for the same vendor, place, plan, and quantity (${formatNumber(unitPrice)} from ${period}). ${remedy}`,
  )
}

/** Throws `validation_failed` if the dates or places contradict each other. */
export function assertValidPriceTerm(
  price: Pick<Price, 'effectiveDate' | 'expirationDate' | 'communityId' | 'planId'>,
) {
  const { effectiveDate, expirationDate, communityId, planId } = price
  const errors = []
  if (expirationDate !== null && expirationDate < effectiveDate)
    errors.push({ pointer: '/expirationDate', code: 'order', message: 'must not be before effectiveDate' })
  if (planId !== null && communityId === null)
    errors.push({ pointer: '/planId', code: 'community', message: 'requires communityId' })
  if (errors.length > 0) throw validationFailed(errors)
}

/** Returns how specific a price is. If two prices apply, the more specific price takes precedence. */
export function getPriceSource({ communityId, planId }: Pick<Price, 'communityId' | 'planId'>): PriceSource {
  if (planId !== null) return 'plan'
  return communityId === null ? 'default' : 'community'
}

/** Returns all reasons why a price does not apply; empty if it applies. */
export function listPriceMismatches(
  { price, isVendorActive }: PriceCandidate,
  requested: PriceRequest,
  quantity: number,
): PriceFault[] {
  const isElsewhere =
    (price.communityId !== null && price.communityId !== requested.communityId) ||
    (price.planId !== null && price.planId !== requested.planId)
  return [
    ...(isElsewhere ? (['elsewhere'] as const) : []),
    ...(price.expirationDate !== null && price.expirationDate < requested.on ? (['expired'] as const) : []),
    ...(price.effectiveDate > requested.on ? (['not_yet_effective'] as const) : []),
    // If a takeoff line removes parts, the quantity is negative.
    ...(price.minQuantity > Math.abs(quantity) ? (['below_minimum'] as const) : []),
    ...(isVendorActive ? [] : (['vendor_not_active'] as const)),
  ]
}

/** Returns the reason why no price applies, based on the price that comes closest. */
export function explainMissingPrice(
  candidates: readonly PriceCandidate[],
  requested: PriceRequest,
  quantity: number,
): PriceIssue {
  let nearest: PriceFault[] | undefined
  for (const candidate of candidates) {
    const errors = listPriceMismatches(candidate, requested, quantity)
    if (nearest === undefined || errors.length < nearest.length) nearest = errors
  }
  return nearest?.[0] ?? 'no_price'
}

/** Returns the reason why this price is not used, given the chosen price. */
export function explainWhyPriceIsUnused(
  candidate: PriceCandidate,
  chosen: Price | null,
  requested: PriceRequest,
  quantity: number,
): PassedOverPrice['reason'] {
  const [fault] = listPriceMismatches(candidate, requested, quantity)
  if (fault !== undefined) return fault
  if (chosen !== null && getPriceSource(chosen) !== getPriceSource(candidate.price)) return 'less_specific'
  return chosen?.preferred === true && !candidate.price.preferred ? 'not_preferred' : 'higher'
}

export function toFoundPrice(
  line: { partId: string; quantity: number },
  requested: PriceRequest,
  price: Price | null,
  issue: PriceIssue | null,
  currency: string,
): FoundPrice {
  return {
    ...line,
    ...requested,
    price,
    source: price === null ? null : getPriceSource(price),
    total: price === null ? null : computeLineTotal(line.quantity, price.unitPrice, currency),
    issue,
  }
}
