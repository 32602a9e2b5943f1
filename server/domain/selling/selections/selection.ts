import Big from 'big.js'
import type { Community, Home, Option, Selection, SelectionStatus } from '../../../../client/contract.gen.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import type { ActiveSelection } from '../../costs/budgets/selection-queries.ts'
import { listRequiredOptionIds } from '../../costs/options/option-links.ts'

export const SELECTION_MOVES: Readonly<Record<SelectionStatus, readonly SelectionStatus[]>> = {
  pending: ['approved', 'declined'],
  approved: ['ordered', 'cancelled'],
  declined: ['pending'],
  // Canceling an ordered selection also requires a change order.
  ordered: ['installed', 'cancelled'],
  installed: [],
  cancelled: [],
}

/** The status changes that the buyer decides and that must be made before the deadline. */
export const BUYER_CHOICES: ReadonlySet<SelectionStatus> = new Set(['pending', 'approved', 'cancelled'])

/** The fields of an ordered selection that can only be changed with a change order. */
export const FIXED_BY_ORDER = ['quantity', 'unitPrice', 'cost', 'allowanceAmount'] as const

type ActiveOption = Pick<ActiveSelection, 'option' | 'status'>

/**
 * Returns a sentence about the approved selection that excludes this option, or that this option excludes; null if
 * there is none.
 */
export function describeExclusion(
  option: Option,
  standing: readonly ActiveOption[],
  home: Pick<Home, 'name'>,
): string | null {
  for (const { option: other, status } of standing) {
    if (other === null || other.id === option.id) continue
    if (option.excludesOptionIds.includes(other.id))
      return `Cannot select ${option.code}: it excludes ${other.code}, which is ${status} for ${home.name}.`
    if (other.excludesOptionIds.includes(option.id))
      return `Cannot select ${option.code}: ${other.code}, which is ${status} for ${home.name}, excludes it.`
  }
  return null
}

/** Returns the IDs of the options that this option requires and that are not approved yet. */
export function listMissingRequirements(option: Option, activeOptions: readonly ActiveOption[]): string[] {
  const there = new Set(activeOptions.map(({ option }) => option?.id))
  return option.requiresOptionIds.filter((id) => !there.has(id))
}

/** Returns the approved selections whose options require this option, directly or through other approved options. */
export function listDependentSelections(
  optionId: string,
  activeSelections: readonly ActiveSelection[],
): ActiveSelection[] {
  const links = new Map(activeSelections.flatMap(({ option }) => (option === null ? [] : [[option.id, option]])))
  return activeSelections.filter(
    ({ option }) => option !== null && listRequiredOptionIds(option.id, links).has(optionId),
  )
}

/**
 * Returns the last day for changes. This is the given date or, if there is none, the day that is the option's number of
 * workdays before the start of the home. Returns null if neither is known.
 */
export function computeDeadline(
  provided: string | null,
  option: Option | null,
  home: Home,
  community: Pick<Community, 'workdays' | 'holidays'>,
): string | null {
  const days = option?.cutoffDaysBeforeStart ?? null
  if (provided !== null || days === null || home.startDate === null) return provided
  return createWorkCalendar(community).add(home.startDate, -days)
}

/** Returns the unit price for the buyer; null if it depends on a cost that is not known yet. */
export function computeUnitPrice(
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

/** Returns the reason for the status history. If a deadline was overridden, it includes the reason for the override. */
export function joinReasons(reason: string | null | undefined, override: string | null | undefined): string | null {
  if (override == null) return reason ?? null
  return reason == null ? `After the deadline: ${override}` : `${reason} After the deadline: ${override}`
}

/** Returns the name of the selection for messages. */
export function formatSelectionName(
  { customDescription }: Pick<Selection, 'customDescription'>,
  option: Option | null,
): string {
  return option?.code ?? customDescription ?? 'The selection'
}
