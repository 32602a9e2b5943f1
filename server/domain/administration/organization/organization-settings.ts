import type { OrganizationSettings, OrganizationUpdate, Weekday } from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import type { findOrganizationRow } from '../../office/organizations/organizations.ts'

const WEEKDAYS: readonly Weekday[] = [
  ...(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const),
]

type OrganizationRow = NonNullable<Awaited<ReturnType<typeof findOrganizationRow>>>

/** Returns the stored settings in the form of the API contract. */
export function toOrganizationSettings({
  weekStartsOn,
  overtimeRule,
  tier,
  ...row
}: OrganizationRow): OrganizationSettings {
  return {
    ...row,
    tier: tier as OrganizationSettings['tier'],
    weekStartsOn: WEEKDAYS[weekStartsOn - 1] ?? 'monday',
    overtimeRule: overtimeRule as unknown as OrganizationSettings['overtimeRule'],
  }
}

/** Returns the changes in the form in which they are stored. Throws `validation_failed` if the time zone is unknown. */
export function toStoredChanges({ weekStartsOn, ...changes }: OrganizationUpdate) {
  if (changes.timeZone !== undefined && !isTimeZone(changes.timeZone))
    throw validationFailed([
      { pointer: '/timeZone', code: 'format', message: 'must be an IANA time zone, for example America/Chicago' },
    ])
  return { ...changes, ...(weekStartsOn !== undefined && { weekStartsOn: WEEKDAYS.indexOf(weekStartsOn) + 1 }) }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
