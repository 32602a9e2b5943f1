import { useMutation } from '@tanstack/react-query'
import type { TimeEntry, Timesheet } from '../../../client/contract.gen.ts'
import { fetchAllRows, useListPage } from '../../api/list-pages.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { client } from '../../api/plumbline.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { Page } from '../../ui/page.tsx'
import { ChangeError, EmptyState, LoadError } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { PAY_TYPES } from './entry-dialog.tsx'
import { TimeTabs } from './time-tabs.tsx'
import { GRID_SIZE, WeekGrid } from './week-grid.tsx'

/** The maximum number of entries of a timesheet. */
const MAX_ENTRIES = 200

const HEADS = [
  ...['User', 'Email', 'Week starting', 'Date', 'Pay type', 'Hours', 'Overtime hours'],
  ...['Home', 'Trade', 'Hourly cost', 'Cost', 'Note'],
]

/** Saves the hours of approved weeks as a file for payroll, and then marks the weeks as exported. */
export function Component() {
  const can = useCan()
  const { today } = useFormats()
  const { data, error, refetch } = useListPage(
    '/api/ext/timesheets',
    { status: 'approved', limit: GRID_SIZE, sort: 'weekStarting', expand: ['user'] },
    { meta: MAIN_QUERY },
  )
  const rows = data?.data ?? []
  const save = useMutation({
    mutationFn: async () => saveFile(await writePayroll(rows), `hours-${today()}.csv`),
    meta: { changesNothing: true },
    onSuccess: () => showToast('File saved'),
  })
  const mark = useMutation({
    mutationFn: async () => {
      for (const { id } of rows) {
        const { error: problem } = await client.POST('/api/ext/timesheets/{timesheetId}/status', {
          params: { path: { timesheetId: id } },
          body: { status: 'exported' },
        })
        if (problem !== undefined) throw problem
      }
      return rows.length
    },
    // The page has read the remaining weeks by then, so the number comes from the change itself.
    onSuccess: (count) => showToast(`${formatCount(count, 'timesheet')} marked as exported`),
  })
  const total = rows.reduce((sum, { totalHours }) => sum + totalHours, 0)
  return (
    <Page title="Payroll" crumbs={[{ name: 'Time', to: '/time' }, { name: 'Payroll' }]}>
      <div className="page-head">
        <h1>Payroll</h1>
        <p>Approved weeks that payroll does not have yet.</p>
      </div>
      <TimeTabs />
      <ChangeError error={save.error ?? mark.error} />
      {error !== null ? (
        <LoadError what="The timesheets" error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyState icon="check" title="You're all caught up">
          Approved weeks appear here until they are marked as exported.
        </EmptyState>
      ) : (
        <>
          <div className="filters">
            <span className="muted">
              {formatCount(rows.length, 'timesheet')} with {formatCount(total, 'hour')}
              {data?.nextCursor != null && `, the first ${GRID_SIZE}`}
            </span>
            <span className="push row wrap">
              <Button icon="download" busy={save.isPending} onClick={() => save.mutate()}>
                Save file
              </Button>
              {can('timesheets:write') && (
                <Button
                  look="primary"
                  // The file must exist before the weeks leave this page.
                  disabled={!save.isSuccess}
                  busy={mark.isPending}
                  onClick={() => mark.mutate()}
                >
                  Mark all as exported
                </Button>
              )}
            </span>
          </div>
          <WeekGrid timesheets={data?.data} showsWeek />
        </>
      )}
    </Page>
  )
}

async function writePayroll(timesheets: readonly Timesheet[]): Promise<Blob> {
  const lines: (string | number | null)[][] = []
  for (const timesheet of timesheets) {
    const place = { timesheetId: timesheet.id }
    const { rows } = await fetchAllRows(
      '/api/ext/timesheets/{timesheetId}/entries',
      { sort: 'date' },
      MAX_ENTRIES,
      place,
    )
    for (const entry of rows) lines.push(await toLine(timesheet, entry))
  }
  return toCsv(HEADS, lines)
}

async function toLine({ user, weekStarting }: Timesheet, entry: TimeEntry): Promise<(string | number | null)[]> {
  const { date, payType, hours, overtimeHours, homeId, scope, rate, cost, notes } = entry
  const home = homeId === null ? null : await fetchRecordName('home', homeId)
  return [
    ...[user?.name ?? '', user?.email ?? '', weekStarting, date, PAY_TYPES[payType], hours, overtimeHours],
    ...[home, scope, rate, cost, notes],
  ]
}
