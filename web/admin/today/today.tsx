import { Link } from 'react-router'
import { useMay } from '../../api/caller.ts'
import { useLive } from '../../api/live.ts'
import { usePage } from '../../api/pages.ts'
import { useRecords } from '../../api/records.ts'
import { AboutEvent } from '../../ui/event-list.tsx'
import { eventInWords } from '../../ui/event-words.ts'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, SkeletonLines } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../ui/words.ts'
import { FirstSteps } from './first-steps.tsx'
import { useFirstSteps } from './first-steps-state.ts'
import { Matters } from './matter.tsx'
import { useBidsDue, useDates, useDecisions, useIntegrations, useMoney } from './matters.ts'
import { weekFrom } from './week.ts'

/** The home page: what needs action. Each line links to the page for it. */
export function Component() {
  useLive('at ease')
  const { wholeDay, today } = useFormats()
  const kinds = [
    { title: 'To decide', ...useDecisions() },
    { title: 'Money', ...useMoney() },
    { title: 'Bids due', ...useBidsDue() },
    { title: 'Dates and compliance', ...useDates() },
    { title: 'Integrations', ...useIntegrations() },
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
              : `${count(total, 'item')} ${total === 1 ? 'needs' : 'need'} attention.`}
        </p>
      </div>
      <div className="cols">
        <div className="stack">
          {kinds.map(({ title, matters }) => (
            <Matters key={title} title={title} matters={matters} />
          ))}
          {first.steps !== null && <FirstSteps steps={first.steps} onDismiss={first.dismiss} />}
          {total === 0 && first.steps === null && (
            <div className="panel">
              {isLoading ? <SkeletonLines lines={6} /> : <Empty icon="check" title="Nothing to decide" />}
            </div>
          )}
        </div>
        <aside className="stack" aria-label="This week">
          <Week />
          <Lately />
        </aside>
      </div>
    </Page>
  )
}

/** The maximum number of task starts shown for a week. */
const MOST_TASKS = 40

function Week() {
  const may = useMay()
  const { today } = useFormats()
  const days = weekFrom(today())
  const tasks = usePage(
    '/api/ext/tasks',
    { plannedStartFrom: days[0]?.date, plannedStartTo: days.at(-1)?.date, sort: 'plannedStart', limit: MOST_TASKS },
    { enabled: may('tasks:read') },
  )
  const homes = useRecords(
    '/api/ext/homes',
    (tasks.data?.data ?? []).map(({ homeId }) => homeId),
  )
  if (!may('tasks:read')) return null
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
                    <Link to={`/homes/${homeId}?tab=schedule`}>{name}</Link>, {homes.get(homeId)?.name ?? '…'}
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

const NEWEST = 8

function Lately() {
  const may = useMay()
  const events = usePage('/api/ext/events', { sort: '-sequence', limit: NEWEST }, { enabled: may('events:read') })
  if (!may('events:read') || events.data?.data.length === 0) return null
  return (
    <Panel title="Recent activity">
      {events.data === undefined ? (
        <SkeletonLines />
      ) : (
        <ol className="timeline">
          {events.data.data.map((event) => (
            <li key={event.id}>
              <p>
                {eventInWords(event.type)}{' '}
                <b>
                  <AboutEvent of={event} />
                </b>
              </p>
              <Time at={event.timestamp} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
