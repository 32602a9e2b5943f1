import { Link, useSearchParams } from 'react-router'
import type { Task } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ParamSelect, setQueryParam } from '../../ui/param-select.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { TaskActions } from './task-actions.tsx'
import { addDays, findMonday, listWeeks } from './weeks.ts'
import { Workload } from './workload.tsx'

const WEEKS = 4
/** The maximum number of tasks. Users do not look through more, and filters reduce the number. */
const MAX_TASKS = 200

/** Shows the scheduled work by week and the workload of each vendor. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const [params] = useSearchParams()
  const { today, shortDay } = useFormats()
  const monday = findMonday(today())
  const communityId = params.get('community')
  const vendorId = params.get('vendor')
  const tasks = useListPage('/api/ext/tasks', {
    ...{ plannedStartTo: addDays(monday, WEEKS * 7 - 1), sort: 'plannedStart', limit: MAX_TASKS },
    ...(communityId !== null && { communityId }),
    ...(vendorId !== null && { vendorId }),
  })
  const requested = { limit: MAX_TASKS, sort: 'name' } as const
  const communities =
    useListPage('/api/ext/communities', requested, { enabled: can('communities:read') }).data?.data ?? []
  const rows = tasks.data?.data
  const weeks = listWeeks(monday, WEEKS).map(({ from, to }, at) => ({
    name: at === 0 ? 'this' : from,
    word: at === 0 ? 'This week' : at === 1 ? 'Next week' : `${shortDay(from)} to ${shortDay(to)}`,
    tasks: rows?.filter(({ plannedStart }) => plannedStart >= from && plannedStart <= to),
  }))
  const before = rows?.filter(({ plannedStart }) => plannedStart < monday)
  weeks.push({ name: 'before', word: 'Overdue', tasks: before })
  // By default, opens the first week with tasks, because the current week is usually empty on a weekend.
  const firstWeekWithTasks = weeks.find(({ name, tasks = [] }) => name !== 'before' && tasks.length > 0)?.name
  const open = params.get('week') ?? firstWeekWithTasks ?? 'this'
  const shown = weeks.find(({ name }) => name === open) ?? weeks[0]
  return (
    <Page
      title="Look-ahead"
      crumbs={[{ name: 'Schedule' }]}
      actions={
        <Link className="btn" to="/catalogue/task-templates">
          Task templates
        </Link>
      }
    >
      <div className="page-head">
        <h1>Schedule</h1>
        <p>Open tasks that start in the next {WEEKS} weeks.</p>
      </div>
      <search className="filters">
        <ParamSelect
          name="community"
          label="Community"
          options={[
            { value: '', label: 'All communities' },
            ...communities.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {vendorId !== null && (
          <Link className="btn" to={{ search: setQueryParam(params, 'vendor', '') }} replace>
            Show all vendors instead of <RecordName of="vendor" id={vendorId} isPlain />
          </Link>
        )}
      </search>
      <nav className="tabs" aria-label="Weeks">
        {weeks.map(({ name, word, tasks: own }) => (
          <Link
            key={name}
            to={{ search: setQueryParam(params, 'week', name) }}
            replace
            aria-current={name === open ? 'page' : undefined}
          >
            {word} {own !== undefined && <span className="count">{own.length}</span>}
          </Link>
        ))}
        {can('vendors:read') && (
          <Link
            to={{ search: setQueryParam(params, 'week', 'vendors') }}
            replace
            aria-current={open === 'vendors' ? 'page' : undefined}
          >
            Workload by vendor
          </Link>
        )}
      </nav>
      {open === 'vendors' ? (
        <Workload {...{ communityId, vendorId }} from={monday} weeks={WEEKS} />
      ) : tasks.error !== null ? (
        <LoadError what="The tasks" error={tasks.error} onRetry={() => void tasks.refetch()} />
      ) : shown?.tasks === undefined ? (
        <SkeletonLines lines={8} />
      ) : shown.tasks.length === 0 ? (
        <section className="panel">
          <EmptyState
            icon="schedule"
            title={shown.name === 'before' ? 'No overdue tasks' : 'No tasks start in the selected week'}
          >
            Add tasks to the schedule of a home.
          </EmptyState>
        </section>
      ) : (
        <Week title={shown.word} tasks={shown.tasks} />
      )}
      {open !== 'vendors' && tasks.data !== undefined && tasks.data.nextCursor !== null && (
        <p className="muted">
          Only the first {MAX_TASKS} tasks are shown. To see the others, choose a community or a vendor.
        </p>
      )}
    </Page>
  )
}

function Week({ title, tasks }: { title: string; tasks: readonly Task[] }) {
  const can = useCan()
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
          {scope !== null && <span className="sub">{humanizeName(scope)}</span>}
        </>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="task" is={status} /> },
    { head: 'Home', cell: ({ homeId }) => <RecordName of="home" id={homeId} /> },
    {
      head: 'Vendor',
      cell: ({ vendorId }) =>
        vendorId === null ? <EmptyCell word="not assigned" /> : <RecordName of="vendor" id={vendorId} />,
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
        isCritical ? <span className="tone-flow">critical</span> : formatCount(totalFloatDays ?? 0, 'day'),
    },
    ...(can('tasks:write')
      ? [{ head: 'Actions', className: 'num', cell: (task: Task) => <TaskActions task={task} /> }]
      : []),
  ]
  return (
    <Panel title={title} hint={formatCount(tasks.length, 'task')} isFlush>
      <div className="table-wrap">
        <Table caption={title} columns={columns} rows={tasks} keyOf={({ id }) => id} />
      </div>
    </Panel>
  )
}
