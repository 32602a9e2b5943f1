import type { FoundPrice, PassedOverPrice, Price, PriceIssue, PriceSource } from '../../../../client/contract.gen.ts'
import { conflict, invalid, type Problem } from '../../../platform/problems/problem.ts'
import { formatDate, formatNumber } from '../../../platform/values/format.ts'
import { lineTotal } from '../../../platform/values/money.ts'

/** The place and date that a price is needed for. */
export interface Asked {
  readonly communityId: string | null
  readonly planId: string | null
  readonly on: string
}

/** A price with the status of its vendor. */
export interface Candidate {
  readonly price: Price
  readonly isVendorActive: boolean
}

type Fault = Exclude<PriceIssue, 'no_price'>

/** The fields of a price that overlap checks need. */
export type Held = Pick<Price, 'id' | 'unitPrice' | 'effectiveDate' | 'expirationDate'>

/** Returns the problem that a price overlaps another one of the same vendor and reach, with the possible remedies. */
export function inTheWay(other: Held, wanted: Pick<Held, 'effectiveDate'>): Problem {
  const { id, unitPrice, effectiveDate, expirationDate } = other
  const period = `${formatDate(effectiveDate)}${expirationDate === null ? '' : ` to ${formatDate(expirationDate)}`}`
  const remedy =
    effectiveDate < wanted.effectiveDate
      ? 'Set endPrevious to end that price the day before.'
      : `Set expirationDate to a date before ${formatDate(effectiveDate)}.`
  return conflict(
    'period_taken',
    `The price overlaps ${id} of the same vendor, place, plan and quantity (${formatNumber(unitPrice)} from ${period}). ${remedy}`,
  )
}

/** Throws `validation_failed` for dates or places that contradict each other. */
export function assertPlausible(price: Pick<Price, 'effectiveDate' | 'expirationDate' | 'communityId' | 'planId'>) {
  const { effectiveDate, expirationDate, communityId, planId } = price
  const faults = []
  if (expirationDate !== null && expirationDate < effectiveDate)
    faults.push({ pointer: '/expirationDate', code: 'order', message: 'must not be before effectiveDate' })
  if (planId !== null && communityId === null)
    faults.push({ pointer: '/planId', code: 'community', message: 'requires communityId' })
  if (faults.length > 0) throw invalid(faults)
}

/** Returns how specific a price is. Of two that apply, the more specific one wins. */
export function sourceOf({ communityId, planId }: Pick<Price, 'communityId' | 'planId'>): PriceSource {
  if (planId !== null) return 'plan'
  return communityId === null ? 'default' : 'community'
}

/** Returns every reason why a price does not apply; empty if it does. */
export function faultsOf({ price, isVendorActive }: Candidate, asked: Asked, quantity: number): Fault[] {
  const isElsewhere =
    (price.communityId !== null && price.communityId !== asked.communityId) ||
    (price.planId !== null && price.planId !== asked.planId)
  return [
    ...(isElsewhere ? (['elsewhere'] as const) : []),
    ...(price.expirationDate !== null && price.expirationDate < asked.on ? (['expired'] as const) : []),
    ...(price.effectiveDate > asked.on ? (['not_yet_effective'] as const) : []),
    // The quantity is negative if a takeoff line removes parts, so that fewer are bought.
    ...(price.minQuantity > Math.abs(quantity) ? (['below_minimum'] as const) : []),
    ...(isVendorActive ? [] : (['vendor_not_active'] as const)),
  ]
}

/** Returns why there is no price, based on the candidate that came closest. */
export function issueOf(candidates: readonly Candidate[], asked: Asked, quantity: number): PriceIssue {
  let nearest: Fault[] | undefined
  for (const candidate of candidates) {
    const faults = faultsOf(candidate, asked, quantity)
    if (nearest === undefined || faults.length < nearest.length) nearest = faults
  }
  return nearest?.[0] ?? 'no_price'
}

/** Returns why this price is not used, given the chosen one. */
export function reasonPassedOver(
  candidate: Candidate,
  chosen: Price | null,
  asked: Asked,
  quantity: number,
): PassedOverPrice['reason'] {
  const [fault] = faultsOf(candidate, asked, quantity)
  if (fault !== undefined) return fault
  if (chosen !== null && sourceOf(chosen) !== sourceOf(candidate.price)) return 'less_specific'
  return chosen?.preferred === true && !candidate.price.preferred ? 'not_preferred' : 'higher'
}

export function found(
  line: { partId: string; quantity: number },
  asked: Asked,
  price: Price | null,
  issue: PriceIssue | null,
  currency: string,
): FoundPrice {
  return {
    ...line,
    ...asked,
    price,
    source: price === null ? null : sourceOf(price),
    total: price === null ? null : lineTotal(line.quantity, price.unitPrice, currency),
    issue,
  }
}
