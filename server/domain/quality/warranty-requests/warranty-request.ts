import type { WarrantyRequest, WarrantyRequestStatus, WarrantySeverity } from '../../../../client/contract.gen.ts'
import type { Target } from './queries.ts'

/** The status changes of a request. Only a visit sets the status `scheduled`. */
export const WARRANTY_REQUEST_MOVES: Readonly<Record<WarrantyRequestStatus, readonly WarrantyRequestStatus[]>> = {
  new: ['accepted', 'not_covered', 'cancelled'],
  not_covered: ['accepted'],
  accepted: ['assigned', 'cancelled'],
  assigned: ['scheduled', 'completed', 'cancelled'],
  scheduled: ['assigned', 'completed', 'cancelled'],
  completed: ['closed', 'assigned'],
  closed: [],
  cancelled: [],
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** For each severity, the time within which the builder must respond to a request and complete it. */
const TARGETS_MS: Readonly<Record<WarrantySeverity, Readonly<Record<Target, number>>>> = {
  emergency: { respond: 4 * HOUR_MS, complete: 2 * DAY_MS },
  urgent: { respond: 24 * HOUR_MS, complete: 7 * DAY_MS },
  routine: { respond: 48 * HOUR_MS, complete: 30 * DAY_MS },
}

/** The time within which the owner can object to a completed request, before it closes. */
const SILENCE_MS = 10 * DAY_MS

/** Returns the targets of a request that was reported at the given time. */
export function computeTargets(severity: WarrantySeverity, reportedAt: string) {
  const at = (target: Target) => new Date(Date.parse(reportedAt) + TARGETS_MS[severity][target]).toISOString()
  return { respondBy: at('respond'), completeBy: at('complete') }
}

type Timed = Pick<WarrantyRequest, 'status' | 'respondBy' | 'completeBy' | 'completedAt'>

/** Returns the targets that a request in this status can still miss. */
export function listOpenTargets({ status, respondBy, completeBy }: Timed): { target: Target; at: string }[] {
  const isOpen = status === 'new' || status === 'accepted' || status === 'assigned' || status === 'scheduled'
  if (!isOpen) return []
  const respond = status === 'new' ? [{ target: 'respond' as const, at: respondBy }] : []
  return [...respond, { target: 'complete' as const, at: completeBy }]
}

/** Returns whether the request is open and one of its targets has passed. */
export function isOverdue(request: Timed, now: string): boolean {
  return listOpenTargets(request).some(({ at }) => at <= now)
}

/**
 * Returns the time of the next automatic action on a request: the next target that has not been reported as missed, or
 * the end of the owner's time to object.
 */
export function computeNextDueTime(request: Timed, missed: readonly Target[]): string | null {
  const { status, completedAt } = request
  if (status === 'completed' && completedAt !== null)
    return new Date(Date.parse(completedAt) + SILENCE_MS).toISOString()
  const times = listOpenTargets(request).flatMap(({ target, at }) => (missed.includes(target) ? [] : [at]))
  return times.sort()[0] ?? null
}
