import { useListPage } from '../../api/list-pages.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ChangeError, EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ClockPanel } from './clock-panel.tsx'
import { TimeTabs } from './time-tabs.tsx'
import { TimesheetDays } from './timesheet-days.tsx'
import { TimesheetHead } from './timesheet-head.tsx'
import { TimesheetMoves } from './timesheet-moves.tsx'
import { useWeek, type Week } from './use-week.ts'
import { WeekSteps } from './week-steps.tsx'

/** Enough for the latest weeks, one of which has the running time. */
const RECENT_WEEKS = 2
/** The number of newest entries among which the running time is found. A user has one running entry. */
const NEWEST_ENTRIES = 20

/** The signed-in user's own time: the clock, and the hours of a week. */
export function Component() {
  const week = useWeek()
  return (
    <Page title="Time" crumbs={[{ name: 'Time' }]}>
      <div className="page-head">
        <h1>Time</h1>
        <p>Your hours by day and home. Submit each week for approval.</p>
      </div>
      <TimeTabs />
      {week === undefined ? <SkeletonLines lines={8} /> : <MyWeek week={week} />}
    </Page>
  )
}

function MyWeek({ week }: { week: Week }) {
  const can = useCan()
  const { user } = useSession()
  const timesheets = useListPage(
    '/api/ext/timesheets',
    { userId: user.id, weekStarting: week.from, limit: 1 },
    { meta: MAIN_QUERY },
  )
  const create = plumbline.useMutation('post', '/api/ext/timesheets', {
    onSuccess: () => showToast('Timesheet started'),
  })
  const [timesheet] = timesheets.data?.data ?? []
  const running = useRunningEntry(user.id)
  return (
    <>
      {can('timesheets:write') && <ClockPanel running={running} />}
      <WeekSteps week={week} />
      {timesheets.error !== null ? (
        <LoadError what="The timesheet" error={timesheets.error} onRetry={() => void timesheets.refetch()} />
      ) : timesheets.data === undefined ? (
        <SkeletonLines lines={7} />
      ) : timesheet === undefined ? (
        <>
          <ChangeError error={create.error} />
          <EmptyState
            icon="clock"
            title="No time in this week yet"
            actions={
              can('timesheets:write') && (
                <Button
                  look="primary"
                  busy={create.isPending}
                  onClick={() => create.mutate({ body: { userId: user.id, weekStarting: week.from } })}
                >
                  Start timesheet
                </Button>
              )
            }
          >
            Clock in, or start the timesheet and enter your hours.
          </EmptyState>
        </>
      ) : (
        <>
          <TimesheetHead
            timesheet={timesheet}
            name="My week"
            actions={<TimesheetMoves timesheet={timesheet} name={user.name} />}
          />
          <TimesheetDays timesheet={timesheet} />
        </>
      )}
    </>
  )
}

/** Returns the entry of a user who is clocked in. Its timesheet is one of the latest. */
function useRunningEntry(userId: string) {
  const recent = useListPage('/api/ext/timesheets', {
    userId,
    limit: RECENT_WEEKS,
    sort: '-weekStarting',
    status: 'open',
  })
  const [first, second] = recent.data?.data ?? []
  const entriesOf = (timesheetId: string | undefined) =>
    [
      '/api/ext/timesheets/{timesheetId}/entries',
      { limit: NEWEST_ENTRIES, sort: '-createdAt' },
      { place: { timesheetId: timesheetId ?? '' }, enabled: timesheetId !== undefined },
    ] as const
  const newest = useListPage(...entriesOf(first?.id))
  const earlier = useListPage(...entriesOf(second?.id))
  return [...(newest.data?.data ?? []), ...(earlier.data?.data ?? [])].find(
    ({ startedAt, endedAt }) => startedAt !== null && endedAt === null,
  )
}
