import Big from 'big.js'
import type { Community, Home, Option, Selection, SelectionStatus } from '../../../../client/contract.gen.ts'
import { workCalendar } from '../../../platform/values/workdays.ts'
import type { StandingSelection } from '../../costs/budgets/selection-queries.ts'
import { requiredBy } from '../../costs/options/links.ts'

export const SELECTION_MOVES: Readonly<Record<SelectionStatus, readonly SelectionStatus[]>> = {
  pending: ['approved', 'declined'],
  approved: ['ordered', 'cancelled'],
  declined: ['pending'],
  // Cancelling one that is ordered takes a change order as well.
  ordered: ['installed', 'cancelled'],
  installed: [],
  cancelled: [],
}

/** The moves that are a buyer's choice, so that they have to happen before the deadline. */
export const CHOICES: ReadonlySet<SelectionStatus> = new Set(['pending', 'approved', 'cancelled'])

/** What a selection that is ordered changes only under a change order. */
export const FIXED_BY_ORDER = ['quantity', 'unitPrice', 'cost', 'allowanceAmount'] as const

type Standing = Pick<StandingSelection, 'option' | 'status'>

/** The option of a standing selection that excludes this one, or is excluded by it; as a sentence, or null. */
export function exclusion(option: Option, standing: readonly Standing[], home: Pick<Home, 'name'>): string | null {
  for (const { option: other, status } of standing) {
    if (other === null || other.id === option.id) continue
    if (option.excludesOptionIds.includes(other.id))
      return `Cannot select ${option.code}: it excludes ${other.code}, which is ${status} for ${home.name}.`
    if (other.excludesOptionIds.includes(option.id))
      return `Cannot select ${option.code}: ${other.code}, which is ${status} for ${home.name}, excludes it.`
  }
  return null
}

/** The ids of the options that this one requires and that do not stand yet. */
export function missingFor(option: Option, standing: readonly Standing[]): string[] {
  const there = new Set(standing.map(({ option }) => option?.id))
  return option.requiresOptionIds.filter((id) => !there.has(id))
}

/** The standing selections whose options require this one, directly or through other standing ones. */
export function dependentsOf(optionId: string, standing: readonly StandingSelection[]): StandingSelection[] {
  const links = new Map(standing.flatMap(({ option }) => (option === null ? [] : [[option.id, option]])))
  return standing.filter(({ option }) => option !== null && requiredBy(option.id, links).has(optionId))
}

/** The last day for changes: the one given, or else so many workdays before the home's start; null while open. */
export function deadlineOf(
  given: string | null,
  option: Option | null,
  home: Home,
  community: Pick<Community, 'workdays' | 'holidays'>,
): string | null {
  const days = option?.cutoffDaysBeforeStart ?? null
  if (given !== null || days === null || home.startDate === null) return given
  return workCalendar(community).add(home.startDate, -days)
}

/** What the buyer pays for one; null while it follows from a cost that is not known. */
export function unitPriceOf(
  { unitPrice, priceBasis, quantity }: Pick<Selection, 'unitPrice' | 'priceBasis' | 'quantity'>,
  option: Option | null,
  cost: number | null,
): number | null {
  if (priceBasis === 'given' || option === null) return unitPrice
  if (option.price !== null) return option.price
  if (cost === null || option.marginPercent === null) return null
  const price = new Big(cost).times(100).div(new Big(100).minus(option.marginPercent))
  return price.div(quantity).round(4, Big.roundHalfUp).toNumber()
}

/** What the status history says of a move: why it was made, and why after the deadline. */
export function reasonsTogether(reason: string | null | undefined, override: string | null | undefined): string | null {
  if (override == null) return reason ?? null
  return reason == null ? `After the deadline: ${override}` : `${reason} After the deadline: ${override}`
}

/** What a selection is called to people. */
export function nameOf({ customDescription }: Pick<Selection, 'customDescription'>, option: Option | null): string {
  return option?.code ?? customDescription ?? 'The selection'
}
