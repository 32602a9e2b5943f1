import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import type {
  Community,
  Home,
  HomeSchedule as Schedule,
  ScheduledTask,
  TaskMove,
} from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
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
import { TaskFacts } from './task-facts.tsx'

/** Shows the tasks of the home by date, the critical path, and the tasks that a delay would move. */
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

  return (
    <>
      <TitleBlock {...head} facts={useFacts(home, schedule.data, community)} />
      {nav}
      {schedule.error !== null ? (
        <LoadError what="The schedule" error={schedule.error} onRetry={() => void schedule.refetch()} />
      ) : schedule.data === undefined ? (
        <SkeletonLines lines={10} />
      ) : schedule.data.tasks.length === 0 ? (
        <EmptyState icon="schedule" title="No tasks yet">
          Apply a schedule template through the API, or add tasks individually.
        </EmptyState>
      ) : (
        <>
          {tried !== null && task !== undefined && (
            <DelayBanner task={task} delay={tried} preview={preview} onDiscard={() => setDelay(null)} />
          )}
          <Panel title="Plan" actions={<GanttLegend isTried={cascade !== undefined} />} isFlush>
            <Gantt
              bars={schedule.data.tasks.map((one) => toBar(one, today(), cascade?.moved))}
              today={today()}
              isOff={createDayOffCheck(community)}
              selected={taskId}
              toTask={(id) => `?${new URLSearchParams({ tab: 'schedule', task: id })}`}
            />
          </Panel>
          {task !== undefined && (
            <div className="cols" ref={scrollIntoView} key={task.taskId}>
              {cascade !== undefined ? (
                <Cascade of={cascade} />
              ) : (
                <TaskFacts task={task} onClose={close} onDelay={() => setDelay({ taskId: task.taskId, days: 1 })} />
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
        </>
      )}
    </>
  )
}

/** The chart is long and the details of the selected task are below it, so scroll there. */
function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

function toBar(task: ScheduledTask, today: string, moved: readonly TaskMove[] | undefined): GanttBar {
  const move = moved?.find(({ taskId }) => taskId === task.taskId)
  const start = task.actualStart ?? task.plannedStart
  const end = task.actualEnd ?? task.plannedEnd
  const bar = {
    ...{ taskId: task.taskId, name: task.name, isCritical: task.isCritical, predecessors: task.predecessors },
    isPoint: task.taskKind === 'inspection' || task.taskKind === 'milestone',
  }
  if (move === undefined) return { ...bar, start, end, look: chooseBarLook(task, today), before: null }
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
 * Whether a task has not started by its planned start, or not been completed by its planned end, like lateOn of
 * listTasks.
 */
function isTaskLate({ status, plannedStart, plannedEnd, actualStart }: ScheduledTask, today: string): boolean {
  if (status === 'completed' || status === 'skipped') return false
  return plannedEnd < today || (actualStart === null && plannedStart < today)
}

function createDayOffCheck(community: Community | undefined): (date: string) => boolean {
  if (community === undefined) return () => false
  const { workdays, holidays } = community
  // ISO weekdays: Monday is 1, Sunday is 7.
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
      label: 'Late',
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
