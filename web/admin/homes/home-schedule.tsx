import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type {
  Community,
  Home,
  HomeSchedule as Schedule,
  ScheduledTask,
  TaskMove,
} from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatPercent } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { Cascade } from './cascade.tsx'
import { DelayBanner, DelayForm, type TriedDelay } from './delay.tsx'
import { Gantt } from './gantt.tsx'
import type { GanttBar } from './gantt-frame.ts'
import { GanttLegend } from './gantt-legend.tsx'
import type { HomeHead } from './home.tsx'
import { HomeMilestones } from './home-milestones.tsx'
import { ScheduleTools } from './schedule-tools.tsx'
import { TaskFacts } from './task-facts.tsx'

/** Shows the home's tasks by date, the critical path, and the tasks that a delay would move. */
export function HomeSchedule({ head, home, nav }: { head: HomeHead; home: Home; nav: ReactNode }) {
  const [params, setParams] = useSearchParams()
  const can = useCan()
  const { today } = useFormats()
  const schedule = plumbline.useQuery('get', '/api/ext/homes/{homeId}/schedule', {
    params: { path: { homeId: home.id } },
  })
  const community = plumbline.useQuery(
    'get',
    '/api/ext/communities/{communityId}',
    { params: { path: { communityId: home.communityId } } },
    { enabled: can('communities:read') },
  ).data
  const taskId = params.get('task')
  const task = schedule.data?.tasks.find((one) => one.taskId === taskId)
  const [delay, setDelay] = useState<TriedDelay | null>(null)
  const [isBaselineShown, setIsBaselineShown] = useState(false)
  const baselines = useBaselines(home.id, isBaselineShown)
  const tried = delay !== null && delay.taskId === taskId ? delay : null
  const preview = plumbline.useQuery(
    'get',
    '/api/ext/tasks/{taskId}/delay',
    { params: { path: { taskId: tried?.taskId ?? '' }, query: { days: tried?.days ?? 1 } } },
    { enabled: tried?.days != null, placeholderData: (before: unknown) => before as never },
  )
  const cascade = tried?.days != null ? preview.data?.cascade : undefined
  const close = () => {
    setDelay(null)
    setParams({ tab: 'schedule' }, { replace: true })
  }
  const tools = ({ tasks, baselineEnd }: Schedule) => (
    <ScheduleTools
      {...{ home, tasks, isBaselineShown }}
      hasBaseline={baselineEnd !== null}
      onBaselineShown={setIsBaselineShown}
    />
  )

  return (
    <>
      <TitleBlock {...head} facts={useFacts(home, schedule.data, community)} />
      {nav}
      {schedule.error !== null ? (
        <LoadError what="The schedule" error={schedule.error} onRetry={() => void schedule.refetch()} />
      ) : schedule.data === undefined ? (
        <SkeletonLines lines={10} />
      ) : schedule.data.tasks.length === 0 ? (
        <>
          <EmptyState icon="schedule" title="No tasks yet">
            Apply a template, or add the first task.
          </EmptyState>
          {tools(schedule.data)}
        </>
      ) : (
        <>
          {tried !== null && task !== undefined && (
            <DelayBanner task={task} delay={tried} preview={preview} onDiscard={() => setDelay(null)} />
          )}
          <ScheduleConflicts tasks={schedule.data.tasks} />
          {tools(schedule.data)}
          <Panel
            title="Tasks by date"
            actions={<GanttLegend isTried={cascade !== undefined} isBaselineShown={isBaselineShown} />}
            isFlush
          >
            <Gantt
              bars={schedule.data.tasks.map((one) =>
                toBar(one, today(), cascade?.moved, baselines.get(one.taskId) ?? null),
              )}
              today={today()}
              isOff={createDayOffCheck(community)}
              selected={taskId}
              toTask={toTaskSearch}
            />
          </Panel>
          {task !== undefined && (
            <div className="cols gantt-details" ref={scrollIntoView} key={task.taskId}>
              {cascade !== undefined ? (
                <Cascade of={cascade} />
              ) : (
                <TaskFacts
                  task={task}
                  tasks={schedule.data.tasks}
                  onClose={close}
                  onDelay={() => setDelay({ taskId: task.taskId, days: 1 })}
                />
              )}
              {tried !== null && (
                <DelayForm
                  task={task}
                  delay={tried}
                  onChange={(days) => setDelay({ ...tried, days })}
                  onDone={close}
                  newEnd={preview.data?.cascade.moved.find((moved) => moved.taskId === task.taskId)?.newEnd}
                />
              )}
            </div>
          )}
          <HomeMilestones homeId={home.id} />
        </>
      )}
    </>
  )
}

interface Baseline {
  start: string
  end: string
}

/**
 * The maximum number of tasks whose baseline is shown. In a longer schedule, the baseline is shown only for the first
 * tasks.
 */
const MAX_BASELINES = 200

/** Returns the baseline dates of the home's tasks by task ID. Loads them when the user shows the baseline. */
function useBaselines(homeId: string, isShown: boolean): ReadonlyMap<string, Baseline> {
  const query = { homeId, limit: MAX_BASELINES, sort: 'plannedStart' } as const
  const { data } = useListPage('/api/ext/tasks', query, { enabled: isShown })
  if (!isShown) return new Map()
  return new Map(
    (data?.data ?? []).flatMap(({ id, baselineStart: start, baselineEnd: end }) =>
      start === null || end === null ? [] : [[id, { start, end }] as const],
    ),
  )
}

/** Warns that tasks end too late for another task that has a fixed start date. */
function ScheduleConflicts({ tasks }: { tasks: readonly ScheduledTask[] }) {
  const late = tasks.filter(({ totalFloatDays }) => totalFloatDays !== null && totalFloatDays < 0)
  const [first] = late
  if (first === undefined) return null
  return (
    <div className="banner" data-tone="warn">
      <Icon name="warn" />
      <div>
        <strong>{formatCount(late.length, 'task is', 'tasks are')} too late for a task with a fixed start date.</strong>{' '}
        <Link to={toTaskSearch(first.taskId)} replace preventScrollReset>
          {first.name}
        </Link>{' '}
        <span className="muted">
          is {formatCount(-(first.totalFloatDays ?? 0), 'workday')} late. Shorten the tasks before the fixed date, or
          move the date.
        </span>
      </div>
    </div>
  )
}

function toTaskSearch(taskId: string): string {
  return `?${new URLSearchParams({ tab: 'schedule', task: taskId })}`
}

/** Scrolls to the details of the selected task, because they are below the long chart. */
function scrollIntoView(element: HTMLElement | null): void {
  // On a phone, the details are longer than the screen, so their heading is scrolled to the top.
  const isPhone = globalThis.matchMedia('(max-width: 760px)').matches
  element?.scrollIntoView({ block: isPhone ? 'start' : 'nearest' })
}

function toBar(
  task: ScheduledTask,
  today: string,
  moved: readonly TaskMove[] | undefined,
  baseline: Baseline | null,
): GanttBar {
  const move = moved?.find(({ taskId }) => taskId === task.taskId)
  const start = task.actualStart ?? task.plannedStart
  // Work in progress is expected to end no earlier than today, even if it should have ended before.
  const end = task.actualEnd ?? (task.actualStart === null ? task.plannedEnd : task.earlyFinish)
  const bar = {
    ...{ taskId: task.taskId, name: task.name, isCritical: task.isCritical, predecessors: task.predecessors },
    isPoint: task.taskKind === 'inspection' || task.taskKind === 'milestone',
  }
  if (move === undefined) return { ...bar, start, end, look: chooseBarLook(task, today), before: baseline }
  const newStart = task.actualStart ?? move.newStart
  return { ...bar, start: newStart, end: move.newEnd, look: 'moved', before: { start, end } }
}

function chooseBarLook(task: ScheduledTask, today: string): GanttBar['look'] {
  if (task.status === 'completed' || task.status === 'skipped') return 'done'
  if (isTaskLate(task, today)) return 'late'
  if (task.status === 'in_progress') return 'running'
  return task.isCritical ? 'critical' : 'plan'
}

/**
 * Returns whether a task has not started by its planned start, or has not been completed by its planned end. The
 * parameter lateOn of listTasks uses the same rule.
 */
function isTaskLate({ status, plannedStart, plannedEnd, actualStart }: ScheduledTask, today: string): boolean {
  if (status === 'completed' || status === 'skipped') return false
  return plannedEnd < today || (actualStart === null && plannedStart < today)
}

function createDayOffCheck(community: Community | undefined): (date: string) => boolean {
  if (community === undefined) return () => false
  const { workdays, holidays } = community
  // The calendar contains ISO weekdays, from 1 for Monday to 7 for Sunday.
  return (date) => holidays.includes(date) || !workdays.includes(new Date(`${date}T00:00:00Z`).getUTCDay() || 7)
}

function useFacts(home: Home, schedule: Schedule | undefined, community: Community | undefined): readonly Fact[] {
  const { day, today } = useFormats()
  const tasks = schedule?.tasks ?? []
  const done = tasks.filter(({ status }) => status === 'completed').length
  const late = tasks.filter((task) => isTaskLate(task, today()))
  const behind = schedule?.daysBehindBaseline ?? null
  const superintendent = home.superintendentId ?? community?.superintendentId ?? null
  const dayOr = (date: string | null | undefined, word: string) => (date == null ? word : day(date))
  return [
    {
      label: home.startDate === null ? 'Planned start' : 'Started',
      isWideOnly: true,
      value: dayOr(home.startDate ?? schedule?.startDate, 'not scheduled'),
    },
    {
      label: 'Complete',
      isFigure: true,
      value: formatPercent(Math.round(home.percentComplete)),
      note: `${done} of ${formatCount(tasks.length, 'task')}`,
    },
    {
      label: 'Baseline',
      isWideOnly: true,
      value: dayOr(schedule?.baselineEnd, 'none yet'),
      note: 'planned completion',
    },
    {
      label: home.actualCompletionDate === null ? 'Forecast' : 'Completed',
      value: (
        <span className={behind !== null && behind > 0 ? 'tone-bad' : undefined}>
          {dayOr(home.actualCompletionDate ?? schedule?.endDate, 'not scheduled')}
        </span>
      ),
      note: behind === null ? undefined : describeDaysBehind(behind),
    },
    {
      label: 'Late tasks',
      isFigure: true,
      value: formatCount(late.length, 'task'),
      note: late[0]?.name ?? 'all on time',
    },
    {
      label: 'Superintendent',
      value: superintendent === null ? 'not assigned' : <RecordName of="user" id={superintendent} />,
    },
  ]
}

function describeDaysBehind(days: number): string {
  if (days === 0) return 'as in the baseline'
  return `${formatCount(Math.abs(days), 'workday')} ${days > 0 ? 'later' : 'earlier'}`
}
