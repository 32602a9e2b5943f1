import type { WorkCalendar } from '../../../platform/values/workdays.ts'

/**
 * The days on which homes start, spread evenly over the workdays: of two a week with five workdays, the second starts
 * two workdays after the first, and the third three after that. As many workdays as a week has contain no more than
 * `perWeek` starts, so a week with a holiday does not either.
 */
export function startDates(
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

/** Lots are numbered: 2 comes before 10. */
const numbers = new Intl.Collator('en', { numeric: true })

/** By block and lot, those without a number last. */
export function byLot(one: Lot, other: Lot): number {
  return (
    numbers.compare(one.block ?? '', other.block ?? '') ||
    Number(one.lotNumber === null) - Number(other.lotNumber === null) ||
    numbers.compare(one.lotNumber ?? '', other.lotNumber ?? '') ||
    numbers.compare(one.name, other.name) ||
    (one.id < other.id ? -1 : 1)
  )
}
