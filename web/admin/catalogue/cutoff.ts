import type { Option } from '../../../client/contract.gen.ts'
import { formatCount } from '../../ui/text-formats.ts'

/** Describes the last day on which an option can be chosen. */
export function describeCutoff({ cutoffTaskName, cutoffDaysBeforeStart }: Option): string {
  // The days count back from the start of the home, not from the task.
  const days =
    cutoffDaysBeforeStart === null ? null : `${formatCount(cutoffDaysBeforeStart, 'workday')} before the start`
  const task = cutoffTaskName === null ? null : `before ${cutoffTaskName}`
  const limits = [days, task].filter((limit) => limit !== null)
  return limits.length === 0 ? 'any time' : limits.join(', ')
}
