import { Link, useSearchParams } from 'react-router'
import type { Task } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { useLive } from '../../api/live.ts'
import { usePage } from '../../api/pages.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ParamSelect, withParam } from '../../ui/param-select.tsx'
import { Empty, Failed, SkeletonLines } from '../../ui/states.tsx'
import { type Column, None, Table } from '../../ui/table.tsx'
import { count } from '../../ui/words.ts'
import { TaskActions } from './task-actions.tsx'
import { addDays, mondayOf, weeksFrom } from './weeks.ts'
import { Workload } from './workload.tsx'

const WEEKS = 4
/** More tasks than anyone looks through; filters reduce them. */
const MOST_TASKS = 200

/** The look-ahead page: who works when, week by week, and each vendor's workload. */
export function Component() {
  useLive('at ease')
  const may = useMay()
  const [params] = useSearchParams()
  const { today, shortDay } = useFormats()
  const monday = mondayOf(today())
  const communityId = params.get('community')
  const vendorId = params.get('vendor')
  const tasks = usePage('/api/ext/tasks', {
    ...{ plannedStartTo: addDays(monday, WEEKS * 7 - 1), sort: 'plannedStart', limit: MOST_TASKS },
    ...(communityId !== null && { communityId }),
    ...(vendorId !== null && { vendorId }),
  })
  const asked = { limit: MOST_TASKS, sort: 'name' } as const
  const communities = usePage('/api/ext/communities', asked, { enabled: may('communities:read') }).data?.data ?? []
  const rows = tasks.data?.data
  const weeks = weeksFrom(monday, WEEKS).map(({ from, to }, at) => ({
    name: at === 0 ? 'this' : from,
    word: at === 0 ? 'This week' : at === 1 ? 'Next week' : `${shortDay(from)} to ${shortDay(to)}`,
    tasks: rows?.filter(({ plannedStart }) => plannedStart >= from && plannedStart <= to),
  }))
  const before = rows?.filter(({ plannedStart }) => plannedStart < monday)
  weeks.push({ name: 'before', word: 'Overdue', tasks: before })
  const open = params.get('week') ?? 'this'
  const shown = weeks.find(({ name }) => name === open) ?? weeks[0]
  return (
    <Page title="Look-ahead" crumbs={[{ name: 'Schedule' }]}>
      <div className="page-head">
        <h1>Schedule</h1>
        <p>Open tasks that start in the next {WEEKS} weeks.</p>
      </div>
      <search className="filters">
        <ParamSelect
          name="community"
          label="Community"
          options={[
            { value: '', label: 'all communities' },
            ...communities.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {vendorId !== null && (
          <Link className="btn" to={{ search: withParam(params, 'vendor', '') }} replace>
            All vendors instead of <Name of="vendor" id={vendorId} isPlain />
          </Link>
        )}
      </search>
      <nav className="tabs" aria-label="Weeks">
        {weeks.map(({ name, word, tasks: own }) => (
          <Link
            key={name}
            to={{ search: withParam(params, 'week', name === weeks[0]?.name ? '' : name) }}
            replace
            aria-current={name === open ? 'page' : undefined}
          >
            {word} {own !== undefined && <span className="count">{own.length}</span>}
          </Link>
        ))}
        {may('vendors:read') && (
          <Link
            to={{ search: withParam(params, 'week', 'vendors') }}
            replace
            aria-current={open === 'vendors' ? 'page' : undefined}
          >
            By vendor
          </Link>
        )}
      </nav>
      {open === 'vendors' ? (
        <Workload {...{ communityId, vendorId }} from={monday} weeks={WEEKS} />
      ) : tasks.error !== null ? (
        <Failed what="The tasks" error={tasks.error} onRetry={() => void tasks.refetch()} />
      ) : shown?.tasks === undefined ? (
        <SkeletonLines lines={8} />
      ) : shown.tasks.length === 0 ? (
        <section className="panel">
          <Empty icon="schedule" title={shown.name === 'before' ? 'No overdue tasks' : 'No tasks start this week'}>
            Add tasks to the schedule of a home.
          </Empty>
        </section>
      ) : (
        <Week title={shown.word} tasks={shown.tasks} />
      )}
      {open !== 'vendors' && tasks.data !== undefined && tasks.data.nextCursor !== null && (
        <p className="muted">
          The first {MOST_TASKS} are shown; choose a community or a vendor to see all of its tasks.
        </p>
      )}
    </Page>
  )
}

function Week({ title, tasks }: { title: string; tasks: readonly Task[] }) {
  const may = useMay()
  const { day, today } = useFormats()
  const now = today()
  const columns: readonly Column<Task>[] = [
    {
      head: 'Task',
      cell: ({ id, name, homeId, scope }) => (
        <>
          <Link className="lead" to={`/homes/${homeId}?${new URLSearchParams({ tab: 'schedule', task: id })}`}>
            {name}
          </Link>
          {scope !== null && <span className="sub">{inWords(scope)}</span>}
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="task" is={status} /> },
    { head: 'Home', cell: ({ homeId }) => <Name of="home" id={homeId} /> },
    {
      head: 'Vendor',
      cell: ({ vendorId }) => (vendorId === null ? <None word="not assigned" /> : <Name of="vendor" id={vendorId} />),
    },
    {
      head: 'Start',
      className: 'nowrap',
      cell: ({ plannedStart, actualStart }) =>
        actualStart === null && plannedStart < now ? (
          <span className="tone-bad">{day(plannedStart)}, late</span>
        ) : (
          day(actualStart ?? plannedStart)
        ),
    },
    {
      head: 'End',
      className: 'nowrap',
      cell: ({ plannedEnd }) =>
        plannedEnd < now ? <span className="tone-bad">{day(plannedEnd)}, late</span> : day(plannedEnd),
    },
    {
      head: 'Vendor confirmation',
      cell: ({ confirmation }) => <Status of="confirmation" is={confirmation.status} bare />,
    },
    {
      head: 'Float',
      numeric: true,
      cell: ({ totalFloatDays, isCritical }) =>
        isCritical ? <span className="tone-flow">critical</span> : count(totalFloatDays ?? 0, 'day'),
    },
    ...(may('tasks:write')
      ? [{ head: 'Actions', className: 'num', cell: (task: Task) => <TaskActions task={task} /> }]
      : []),
  ]
  return (
    <Panel title={title} hint={count(tasks.length, 'task')} isFlush>
      <div className="table-wrap">
        <Table caption={title} columns={columns} rows={tasks} keyOf={({ id }) => id} />
      </div>
    </Panel>
  )
}
