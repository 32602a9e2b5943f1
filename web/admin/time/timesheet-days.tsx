import { useState } from 'react'
import type { TimeEntry, Timesheet } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { addDays } from '../schedule/weeks.ts'
import { EntryDialog, PAY_TYPES } from './entry-dialog.tsx'

/** The maximum number of entries of a timesheet. */
const MAX_ENTRIES = 200

/** A day of the week, with one of its entries; null if the day has no entry. */
interface DayRow {
  date: string
  entry: TimeEntry | null
  isFirst: boolean
}

/** Shows the entries of a timesheet by day. While the timesheet is open, entries can be added and changed. */
export function TimesheetDays({ timesheet }: { timesheet: Timesheet }) {
  const can = useCan()
  const { day, time } = useFormats()
  const [edited, setEdited] = useState<{ date: string; entry: TimeEntry | null } | null>(null)
  const [removed, setRemoved] = useState<TimeEntry | null>(null)
  const entries = useListPage(
    '/api/ext/timesheets/{timesheetId}/entries',
    { limit: MAX_ENTRIES, sort: 'date' },
    { place: { timesheetId: timesheet.id } },
  )
  const rows = entries.data?.data
  const mayEdit = timesheet.status === 'open' && can('timesheets:write')
  const days = Array.from({ length: 7 }, (_, at) => addDays(timesheet.weekStarting, at))
  const byDay: readonly DayRow[] | undefined =
    rows &&
    days.flatMap((date): DayRow[] => {
      const those = rows.filter((entry) => entry.date === date)
      if (those.length === 0) return [{ date, entry: null, isFirst: true }]
      return those.map((entry, at) => ({ date, entry, isFirst: at === 0 }))
    })
  const columns: readonly Column<DayRow>[] = [
    {
      head: 'Day',
      className: 'nowrap',
      cell: ({ date, isFirst }) => (isFirst ? day(date) : <span className="sr">{day(date)}</span>),
    },
    {
      head: 'Hours',
      numeric: true,
      cell: ({ entry }) =>
        entry === null ? (
          <EmptyCell word="no time" />
        ) : entry.hours === null ? (
          'clocked in'
        ) : (
          formatQuantity(entry.hours)
        ),
    },
    {
      head: 'Home',
      cell: ({ entry }) =>
        entry === null || entry.homeId === null ? <EmptyCell /> : <RecordName of="home" id={entry.homeId} />,
    },
    {
      head: 'Trade',
      cell: ({ entry }) => (entry === null || entry.scope === null ? <EmptyCell /> : humanizeName(entry.scope)),
    },
    {
      head: 'Details',
      cell: ({ entry }) =>
        entry !== null && (
          <>
            {PAY_TYPES[entry.payType]}
            {entry.overtimeHours > 0 && `, ${formatQuantity(entry.overtimeHours)} overtime`}
            {entry.startedAt !== null && (
              <span className="sub">
                {time(entry.startedAt)} to {entry.endedAt === null ? 'now' : time(entry.endedAt)}
                {entry.breakMinutes > 0 && `, ${formatCount(entry.breakMinutes, 'minute')} break`}
              </span>
            )}
            {entry.notes !== null && <span className="sub">{entry.notes}</span>}
          </>
        ),
    },
    ...(mayEdit
      ? [
          {
            head: 'Edit',
            cell: ({ date, entry, isFirst }: DayRow) => (
              <span className="row">
                {entry !== null && entry.hours !== null && (
                  <>
                    <Button small look="quiet" onClick={() => setEdited({ date, entry })}>
                      Edit<span className="sr"> time on {day(date)}</span>
                    </Button>
                    <IconButton
                      icon="x"
                      small
                      look="quiet"
                      label={`Remove time on ${day(date)}`}
                      onClick={() => setRemoved(entry)}
                    />
                  </>
                )}
                {isFirst && (
                  <Button small onClick={() => setEdited({ date, entry: null })}>
                    Add<span className="sr"> time on {day(date)}</span>
                  </Button>
                )}
              </span>
            ),
          },
        ]
      : []),
  ]
  return (
    <Panel title="Hours" isFlush>
      {entries.error !== null ? (
        <LoadError what="The hours" error={entries.error} onRetry={() => void entries.refetch()} />
      ) : (
        <div className="table-wrap">
          <Table
            caption="Hours by day"
            columns={columns}
            rows={byDay}
            keyOf={({ date, entry }) => entry?.id ?? date}
            expected={7}
          />
        </div>
      )}
      {edited !== null && <EntryDialog timesheetId={timesheet.id} {...edited} onClose={() => setEdited(null)} />}
      {removed !== null && <RemoveEntryDialog entry={removed} onClose={() => setRemoved(null)} />}
    </Panel>
  )
}

function RemoveEntryDialog({ entry, onClose }: { entry: TimeEntry; onClose(): void }) {
  const { day } = useFormats()
  const change = plumbline.useMutation('delete', '/api/ext/time-entries/{timeEntryId}', {
    onSuccess: () => {
      showToast('Time removed')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Remove time?"
      size="narrow"
      word="Remove"
      isDanger
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { timeEntryId: entry.id } } })}
    >
      <p className="muted">
        {formatCount(entry.hours ?? 0, 'hour')} on {day(entry.date)} will no longer count.
      </p>
    </FormDialog>
  )
}
