import { useQueries } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { TimeEntry, Timesheet } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Status } from '../../ui/badge.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { addDays } from '../schedule/weeks.ts'
import { TimesheetMoves } from './timesheet-moves.tsx'

/** The number of timesheets of one page. The entries of each are read for the hours of its days. */
export const GRID_SIZE = 25
/** The maximum number of entries of a timesheet. */
const MAX_ENTRIES = 200
const DAYS = [0, 1, 2, 3, 4, 5, 6]
const WEEKDAY = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'short' })

/** Shows weeks of users with the hours of each day. Weeks start on the same weekday, which heads the columns. */
export function WeekGrid({
  timesheets,
  showsWeek,
}: {
  timesheets: readonly Timesheet[] | undefined
  showsWeek: boolean
}) {
  const { shortDay } = useFormats()
  const rows = timesheets?.slice(0, GRID_SIZE)
  const hours = useDayHours(rows ?? [])
  const first = rows?.[0]?.weekStarting
  const columns: readonly Column<Timesheet>[] = [
    {
      head: 'User',
      cell: ({ id, user, weekStarting }) => (
        <>
          <Link className="lead" to={`/time/${id}`}>
            {user?.name ?? 'User'}
          </Link>
          {showsWeek && <span className="sub">week of {shortDay(weekStarting)}</span>}
        </>
      ),
    },
    ...DAYS.map(
      (at): Column<Timesheet> => ({
        head: first === undefined ? `Day ${at + 1}` : WEEKDAY.format(Date.parse(`${addDays(first, at)}T00:00:00Z`)),
        numeric: true,
        cell: ({ id, weekStarting }) => {
          const sum = hours.get(id)?.get(addDays(weekStarting, at))
          return sum === undefined ? <EmptyCell word="–" /> : formatQuantity(sum)
        },
      }),
    ),
    {
      head: 'Total',
      numeric: true,
      cell: ({ totalHours, overtimeHours }) => (
        <>
          {formatQuantity(totalHours)}
          {overtimeHours > 0 && <span className="sub">{formatQuantity(overtimeHours)} overtime</span>}
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="timesheet" is={status} /> },
    {
      head: 'Next step',
      cell: (timesheet) => (
        <span className="row">
          <TimesheetMoves timesheet={timesheet} name={timesheet.user?.name ?? 'the user'} />
        </span>
      ),
    },
  ]
  return (
    <div className="table-wrap">
      <Table caption="Hours by user and day" columns={columns} rows={rows} keyOf={({ id }) => id} expected={4} />
    </div>
  )
}

/** Returns the hours of each timesheet by day. */
function useDayHours(timesheets: readonly Timesheet[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  return useQueries({
    queries: timesheets.map(({ id }) =>
      plumbline.queryOptions('get', '/api/ext/timesheets/{timesheetId}/entries', {
        params: { path: { timesheetId: id }, query: { limit: MAX_ENTRIES, sort: 'date' } },
      }),
    ),
    combine: (loads) => new Map(timesheets.map(({ id }, at) => [id, addHours(loads[at]?.data?.data ?? [])] as const)),
  })
}

function addHours(entries: readonly TimeEntry[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { date, hours } of entries) if (hours !== null) sums.set(date, (sums.get(date) ?? 0) + hours)
  return sums
}
