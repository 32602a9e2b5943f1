import type { Permit, PermitStatus } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { describeStatus, formatDate } from '../../../platform/values/format.ts'

/**
 * The status changes that a caller can request. A permit expires only through the passage of time. An expired permit
 * can be renewed.
 */
export const PERMIT_MOVES: Readonly<Record<PermitStatus, readonly PermitStatus[]>> = {
  applied: ['issued', 'void'],
  issued: ['finaled', 'void'],
  expired: ['issued'],
  finaled: [],
  void: [],
}

/** Returns whether work under the permit can be inspected on this date. */
export function isPermitValidOn({ status, expiryDate }: Permit, date: string): boolean {
  // A permit that has expired since was valid through its last day.
  return status === 'issued' || status === 'expired' ? expiryDate === null || expiryDate >= date : false
}

/** Returns a sentence that states why the permit is not valid on a date. */
export function explainWhyPermitIsInvalid(permit: Permit): string {
  const { status, expiryDate } = permit
  const name = formatPermitName(permit)
  if ((status === 'issued' || status === 'expired') && expiryDate !== null)
    return `${name} is valid until ${formatDate(expiryDate)}.`
  return `${name} is ${describeStatus(status)}.`
}

export function formatPermitName({ permitType, number }: Pick<Permit, 'permitType' | 'number'>): string {
  const kind =
    permitType === 'other' ? 'Permit' : `${permitType.slice(0, 1).toUpperCase()}${permitType.slice(1)} permit`
  return number === null ? kind : `${kind} ${number}`
}

/** Returns the last valid day of a permit that was last issued, renewed, or inspected on this date. */
export function computeExpiry({ inactivityDays }: Pick<Permit, 'inactivityDays'>, date: string): string | null {
  return inactivityDays === null ? null : addDays(date, inactivityDays)
}
