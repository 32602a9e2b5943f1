import type { OrganizationSettings, OrganizationUpdate, Weekday } from '../../../../client/contract.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import type { organizationRow } from '../../office/organizations/organizations.ts'

const WEEKDAYS: readonly Weekday[] = [
  ...(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const),
]

type Row = NonNullable<Awaited<ReturnType<typeof organizationRow>>>

/** Converts the stored settings to their representation in the contract. */
export function shown({ weekStartsOn, overtimeRule, tier, ...row }: Row): OrganizationSettings {
  return {
    ...row,
    tier: tier as OrganizationSettings['tier'],
    weekStartsOn: WEEKDAYS[weekStartsOn - 1] ?? 'monday',
    overtimeRule: overtimeRule as unknown as OrganizationSettings['overtimeRule'],
  }
}

/** Converts changes to their stored form. Throws `validation_failed` for an unknown time zone. */
export function kept({ weekStartsOn, ...changes }: OrganizationUpdate) {
  if (changes.timeZone !== undefined && !isTimeZone(changes.timeZone))
    throw invalid([
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
