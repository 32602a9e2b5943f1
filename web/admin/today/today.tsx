import { Link } from 'react-router'
import { useHomeNames } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { EventSubject } from '../../ui/event-list.tsx'
import { describeEventType } from '../../ui/event-words.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TimeText } from '../../ui/time.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { FirstSteps } from './first-steps.tsx'
import { useFirstSteps } from './first-steps-state.ts'
import { MatterList } from './matter-list.tsx'
import { useBudgetOverruns, useDateAlerts, useDueBids, useFailingWebhooks, usePendingDecisions } from './matters.ts'
import { useSiteMatters } from './site-matters.ts'
import { listWeekDays } from './week.ts'

/** Shows the home page, which lists the items that need action. Each item links to its page. */
export function Component() {
  useLiveUpdates('at ease')
  const { wholeDay, today } = useFormats()
  const kinds = [
    { title: 'Decisions', ...usePendingDecisions() },
    { title: 'Budgets', ...useBudgetOverruns() },
    { title: 'Bids due', ...useDueBids() },
    { title: 'Dates and compliance', ...useDateAlerts() },
    { title: 'Site and warranty', ...useSiteMatters() },
    { title: 'Integrations', ...useFailingWebhooks() },
  ]
  const total = kinds.reduce((sum, { matters }) => sum + matters.length, 0)
  const first = useFirstSteps()
  const isLoading = first.isLoading || kinds.some((kind) => kind.isLoading)
  return (
    <Page title="Today" crumbs={[{ name: 'Today' }]}>
      <div className="page-head">
        <h1>{wholeDay(today())}</h1>
        <p>
          {isLoading
            ? 'Checking for open items…'
            : total === 0
              ? first.steps === null
                ? "You're all caught up."
                : 'Complete these steps to award your first bid.'
              : `${formatCount(total, 'item')} ${total === 1 ? 'needs' : 'need'} attention.`}
        </p>
      </div>
      <div className="cols">
        <div className="stack">
          {kinds.map(({ title, matters }) => (
            <MatterList key={title} title={title} matters={matters} />
          ))}
          {first.steps !== null && <FirstSteps steps={first.steps} onDismiss={first.dismiss} />}
          {total === 0 && first.steps === null && (
            <div className="panel">
              {isLoading ? <SkeletonLines lines={6} /> : <EmptyState icon="check" title="Nothing to decide" />}
            </div>
          )}
        </div>
        <aside className="stack" aria-label="This week">
          <WeekPanel />
          <LatestEvents />
        </aside>
      </div>
    </Page>
  )
}

/** The maximum number of tasks that are shown for a week. */
const MAX_TASKS = 40

function WeekPanel() {
  const can = useCan()
  const { today } = useFormats()
  const days = listWeekDays(today())
  const tasks = useListPage(
    '/api/ext/tasks',
    { plannedStartFrom: days[0]?.date, plannedStartTo: days.at(-1)?.date, sort: 'plannedStart', limit: MAX_TASKS },
    { enabled: can('tasks:read') },
  )
  const homes = useHomeNames((tasks.data?.data ?? []).map(({ homeId }) => homeId))
  if (!can('tasks:read')) return null
  return (
    <Panel title="This week" hint="tasks that start">
      <ol className="agenda">
        {days.map(({ date, weekday, number }, at) => {
          const beginning = (tasks.data?.data ?? []).filter(({ plannedStart }) => plannedStart === date)
          return (
            <li key={date} className={at === 0 ? 'now' : undefined}>
              <span className="day">
                {at === 0 ? 'Today' : weekday}
                <b>{number}</b>
              </span>
              <div>
                {beginning.map(({ id, name, homeId }) => (
                  <p key={id}>
                    <Link to={`/homes/${homeId}?tab=schedule`}>{name}</Link>, {homes.get(homeId) ?? '…'}
                  </p>
                ))}
                {beginning.length === 0 && <p className="faint">{tasks.isLoading ? '…' : 'no tasks'}</p>}
              </div>
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

const MAX_EVENTS = 8

function LatestEvents() {
  const can = useCan()
  const events = useListPage(
    '/api/ext/events',
    { sort: '-sequence', limit: MAX_EVENTS },
    { enabled: can('events:read') },
  )
  if (!can('events:read') || events.data?.data.length === 0) return null
  return (
    <Panel title="Recent activity">
      {events.data === undefined ? (
        <SkeletonLines />
      ) : (
        <ol className="timeline">
          {events.data.data.map((event) => (
            <li key={event.id}>
              <p>
                {describeEventType(event.type)}{' '}
                <b>
                  <EventSubject of={event} />
                </b>
              </p>
              <TimeText at={event.timestamp} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
