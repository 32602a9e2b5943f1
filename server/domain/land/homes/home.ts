import type { Home, HomeStatus } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { toAddress } from '../../../platform/values/address.ts'
import { describeStatus } from '../../../platform/values/format.ts'

// The next status of each status in the usual order.
const NEXT_STATUS: Readonly<Record<HomeStatus, HomeStatus | null>> = {
  planning: 'permitting',
  permitting: 'ready_to_start',
  ready_to_start: 'under_construction',
  under_construction: 'completed',
  completed: 'closed',
  closed: 'warranty',
  warranty: 'archived',
  archived: null,
  on_hold: null,
  cancelled: null,
}

const HOLDABLE_STATUSES: ReadonlySet<HomeStatus> = new Set([
  'planning',
  'permitting',
  'ready_to_start',
  'under_construction',
])
const CANCELLABLE_STATUSES: ReadonlySet<HomeStatus> = new Set([...HOLDABLE_STATUSES, 'completed', 'on_hold'])

/** Returns the statuses to which the home can change. A home on hold returns to its previous status. */
export function listPossibleStatuses(home: Pick<Home, 'status' | 'statusBeforeHold'>): HomeStatus[] {
  const next = home.status === 'on_hold' ? home.statusBeforeHold : NEXT_STATUS[home.status]
  return [
    ...(next === null ? [] : [next]),
    ...(HOLDABLE_STATUSES.has(home.status) ? (['on_hold'] as const) : []),
    ...(CANCELLABLE_STATUSES.has(home.status) ? (['cancelled'] as const) : []),
  ]
}

/**
 * Returns the fields that change together with the status. `today` is the current date in the community's time zone.
 */
export function computeHomeStatusFields(home: Home, to: HomeStatus, today: string, now: Date): Partial<Home> {
  return {
    statusBeforeHold: to === 'on_hold' ? home.status : null,
    // If a home returns from a hold, it already has a start date.
    ...(to === 'under_construction' && home.startDate === null && { startDate: today }),
    ...(to === 'completed' && { actualCompletionDate: today }),
    ...(to === 'closed' && { closingDate: today }),
    ...(to === 'archived' && { archivedAt: now.toISOString() }),
  }
}

/**
 * Returns the reason for the status history. If a missing prerequisite was overridden, the text includes the override.
 */
export function formatHistoryReason(reason: string | null = null, override: string | null): string | null {
  if (override === null) return reason
  return reason === null ? override : `${reason} ${override}`
}

/**
 * Returns the reason why the home cannot be archived; null if there is none. `openOrders` is the number of its open
 * purchase orders.
 */
export function explainWhyHomeCannotBeArchived(home: Home, openOrders: number): string | null {
  if (home.startDate !== null && home.status !== 'cancelled')
    return `Cannot archive ${home.name}: its construction has started. Change its status instead.`
  if (home.saleId !== null) return explainSaleConflict(home)
  if (openOrders > 0)
    return `Cannot archive ${home.name}: it has ${openOrders === 1 ? '1 open purchase order' : `${openOrders} open purchase orders`}. Close or void ${openOrders === 1 ? 'it' : 'them'} first.`
  return null
}

/** Returns the reason why the plan of the home can no longer change; null if it can change. */
export function explainWhyPlanIsFixed(home: Home): string | null {
  if (home.budgetLockedAt !== null) return `Cannot change the plan of ${home.name}: its budget is locked.`
  if (home.startDate !== null) return `Cannot change the plan of ${home.name}: its construction has started.`
  if (home.salesStatus === 'under_contract')
    return `Cannot change the plan of ${home.name}: its sale is approved for the current plan.`
  return null
}

/** Returns the reason why a home with a sale cannot be canceled or archived. */
export function explainSaleConflict({ name, salesStatus }: Pick<Home, 'name' | 'salesStatus'>): string {
  return `Cannot cancel or archive ${name}: it is ${describeStatus(salesStatus)}. Cancel its sale first.`
}

/** Returns the reason why the budget of the home can no longer change; null if it can change. */
export function explainWhyBudgetIsFixed(home: Home): string | null {
  if (home.status === 'cancelled') return `Cannot change the budget of ${home.name}: the home is canceled.`
  if (home.archivedAt !== null) return `Cannot change the budget of ${home.name}: the home is archived.`
  return null
}

export function buildHome(body: Checked['HomeCreate'], planned: Pick<Home, 'planRevision' | 'basePrice'>) {
  const { planRevision, basePrice: ofPlan } = planned
  const basePrice = body.basePrice === undefined ? ofPlan : body.basePrice
  const address = toAddress(body.address)
  return { ...body, planRevision, basePrice, status: 'planning' as const, percentComplete: 0, address }
}
