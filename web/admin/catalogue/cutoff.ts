import type { Option } from '../../../client/contract.gen.ts'
import { count } from '../../ui/words.ts'

/** Until when it can be chosen, in words. */
export function cutoffOf({ cutoffTaskName, cutoffDaysBeforeStart }: Option): string {
  if (cutoffTaskName === null && cutoffDaysBeforeStart === null) return 'any time'
  const days = cutoffDaysBeforeStart === null ? '' : `${count(cutoffDaysBeforeStart, 'day')} before `
  return days + (cutoffTaskName ?? 'the start')
}
