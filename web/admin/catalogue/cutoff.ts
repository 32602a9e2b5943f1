import type { Option } from '../../../client/contract.gen.ts'
import { formatCount } from '../../ui/text-formats.ts'

/** Describes the last day on which an option can be chosen. */
export function describeCutoff({ cutoffTaskName, cutoffDaysBeforeStart }: Option): string {
  if (cutoffTaskName === null && cutoffDaysBeforeStart === null) return 'any time'
  const days = cutoffDaysBeforeStart === null ? '' : `${formatCount(cutoffDaysBeforeStart, 'day')} before `
  return days + (cutoffTaskName ?? 'the start')
}
