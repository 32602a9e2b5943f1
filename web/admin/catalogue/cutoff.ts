import type { Option } from '../../../client/contract.gen.ts'
import { count } from '../../ui/words.ts'

/** Describes the last day on which an option can be chosen. */
export function cutoffOf({ cutoffTaskName, cutoffDaysBeforeStart }: Option): string {
  if (cutoffTaskName === null && cutoffDaysBeforeStart === null) return 'any time'
  const days = cutoffDaysBeforeStart === null ? '' : `${count(cutoffDaysBeforeStart, 'day')} before `
  return days + (cutoffTaskName ?? 'the start')
}
