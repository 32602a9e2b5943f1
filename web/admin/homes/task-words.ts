import type { TaskKind, TaskLagUnit, TaskLinkType } from '../../../client/contract.gen.ts'
import { formatCount } from '../../ui/text-formats.ts'

export const TASK_KINDS = ['work', 'inspection', 'delivery', 'milestone', 'memo'] as const satisfies readonly TaskKind[]

/** The types of dependencies, in the words of users. */
export const LINK_TYPES: Record<TaskLinkType, string> = {
  FS: 'Finish to start',
  SS: 'Start to start',
  FF: 'Finish to finish',
  SF: 'Start to finish',
}

export const LAG_UNITS: Record<TaskLagUnit, string> = { workdays: 'Workdays', calendar_days: 'Calendar days' }

/** Describes a dependency, for example `Slab poured (finish to start, 7 calendar days later)`. */
export function describeLink(
  name: string,
  { type, lagDays, lagUnit }: { type: TaskLinkType; lagDays: number; lagUnit: TaskLagUnit },
): string {
  const unit = lagUnit === 'calendar_days' ? 'calendar day' : 'workday'
  const lag = lagDays === 0 ? '' : `${formatCount(Math.abs(lagDays), unit)} ${lagDays > 0 ? 'later' : 'earlier'}`
  const parts = [...(type === 'FS' ? [] : [LINK_TYPES[type].toLowerCase()]), ...(lag === '' ? [] : [lag])]
  return parts.length === 0 ? name : `${name} (${parts.join(', ')})`
}
