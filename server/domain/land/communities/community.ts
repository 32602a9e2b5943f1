import type { Community } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'

/**
 * Returns the reason why a home cannot currently be added; null if there is none. `occupiedLots` is the number of
 * lots with a home.
 */
export function explainWhyNoHomeCanBeAdded(community: Community, occupiedLots: number): string | null {
  if (community.archivedAt !== null) return `Cannot add a home: ${community.name} is archived.`
  if (community.status === 'sold_out')
    return `Cannot add a home: ${community.name} is sold out. Change its status to active first.`
  if (community.status === 'closed') return `Cannot add a home: ${community.name} is closed.`
  if (community.lotCount !== null && occupiedLots >= community.lotCount)
    return describeOccupiedLots(community.name, occupiedLots)
  return null
}

/**
 * Returns the reason why the community cannot be closed or archived; null if there is none. `open` is the number of its
 * unfinished homes.
 */
export function explainWhyCommunityCannotBeClosed(community: Community, open: number): string | null {
  if (open === 0) return null
  const homes = open === 1 ? '1 home is' : `${open} homes are`
  return `Cannot close or archive ${community.name}: ${homes} not closed, canceled, or archived.`
}

export function describeOccupiedLots(name: string, occupiedLots: number): string {
  return `The number of lots of ${name} is too low: ${occupiedLots === 1 ? '1 lot already has a home' : `${occupiedLots} lots already have homes`}.`
}

/**
 * Throws `validation_failed` if the time zone is unknown. The API contract cannot check this, because only the runtime
 * knows all time zones.
 */
export function assertValidTimeZone(timeZone: string | undefined): void {
  if (timeZone === undefined) return
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw validationFailed([
      { pointer: '/timeZone', code: 'format', message: 'must be an IANA time zone, for example America/Chicago' },
    ])
  }
}

export function buildCommunity(body: Checked['CommunityCreate'], timeZone: string) {
  return { timeZone, ...body }
}
