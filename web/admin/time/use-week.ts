import { useSearchParams } from 'react-router'
import { useListPage } from '../../api/list-pages.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { addDays, findMonday } from '../schedule/weeks.ts'

/** The week that a page shows. */
export interface Week {
  from: string
  to: string
  previous: string
  next: string
}

/**
 * Returns the week in the URL, or the current week. The settings state the weekday on which weeks start, but few users
 * may read them. Existing timesheets start on the same weekday.
 */
export function useWeek(): Week | undefined {
  const [params] = useSearchParams()
  const { today } = useFormats()
  const newest = useListPage('/api/ext/timesheets', { limit: 1, sort: '-createdAt' })
  if (newest.data === undefined && newest.error === null) return undefined
  const sample = newest.data?.data[0]?.weekStarting
  const shift = sample === undefined ? 0 : daysBetween(findMonday(sample), sample)
  const from = findWeekStart(params.get('week') ?? today(), shift)
  return { from, to: addDays(from, 6), previous: addDays(from, -7), next: addDays(from, 7) }
}

/** Returns the first day of the week of a date; weeks start this number of days after Monday. */
function findWeekStart(date: string, shift: number): string {
  return addDays(findMonday(addDays(date, -shift)), shift)
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000)
}
