import type { WorkCalendar } from '../../../platform/values/workdays.ts'

/**
 * Returns the start dates of homes, spread evenly over the workdays. For example, with two starts per week and five
 * workdays, the second home starts two workdays after the first, and the third home starts three workdays after the
 * second. Any `workdaysPerWeek` consecutive workdays contain at most `perWeek` starts. A week with a holiday has fewer
 * workdays, so it never has more starts.
 */
export function computeStartDates(
  calendar: WorkCalendar,
  { first, perWeek, workdaysPerWeek }: { first: string; perWeek: number; workdaysPerWeek: number },
  count: number,
): string[] {
  return Array.from({ length: count }, (_, i) => calendar.add(first, Math.floor((i * workdaysPerWeek) / perWeek)))
}

interface Lot {
  id: string
  name: string
  block: string | null
  lotNumber: string | null
}

/** Compares lot numbers numerically: 2 precedes 10. */
const lotCollator = new Intl.Collator('en', { numeric: true })

/** Compares lots by block and number. Lots without a number sort last. */
export function compareLots(one: Lot, other: Lot): number {
  return (
    lotCollator.compare(one.block ?? '', other.block ?? '') ||
    Number(one.lotNumber === null) - Number(other.lotNumber === null) ||
    lotCollator.compare(one.lotNumber ?? '', other.lotNumber ?? '') ||
    lotCollator.compare(one.name, other.name) ||
    (one.id < other.id ? -1 : 1)
  )
}
