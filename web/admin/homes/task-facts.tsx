import { type ReactNode, useState } from 'react'
import type { ScheduledTask, TaskReadiness } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { TaskActions } from '../schedule/task-actions.tsx'
import { EditTaskDialog } from './task-form.tsx'
import { describeLink } from './task-words.ts'

/** Shows one task of the schedule: its vendor, its dates, its float, and whether the vendor has confirmed. */
export function TaskFacts(props: {
  task: ScheduledTask
  tasks: readonly ScheduledTask[]
  onClose(): void
  onDelay(): void
}) {
  const { task, tasks, onClose, onDelay } = props
  const [isEdited, setIsEdited] = useState(false)
  const { day } = useFormats()
  const can = useCan()
  const whole = plumbline.useQuery('get', '/api/ext/tasks/{taskId}', { params: { path: { taskId: task.taskId } } }).data
  const readiness = plumbline.useQuery(
    'get',
    '/api/ext/tasks/{taskId}/readiness',
    { params: { path: { taskId: task.taskId } } },
    { enabled: task.status === 'not_started' },
  ).data
  const phone = plumbline.useQuery(
    'get',
    '/api/ext/vendors/{vendorId}',
    { params: { path: { vendorId: task.vendorId ?? '' } } },
    { enabled: task.vendorId !== null && can('vendors:read') },
  ).data?.phone
  const isOver = task.status === 'completed' || task.status === 'skipped'
  const nameOf = (id: string) => tasks.find(({ taskId }) => taskId === id)?.name ?? 'Archived task'
  const facts: (readonly [string, ReactNode])[] = [
    ['Status', <Status key="status" of="task" is={task.status} />],
    [
      'Vendor',
      task.vendorId === null ? <EmptyCell word="not assigned" /> : <RecordName of="vendor" id={task.vendorId} />,
    ],
    ...(phone == null
      ? []
      : [
          [
            'Phone',
            <a key="phone" href={`tel:${phone.replaceAll(' ', '')}`}>
              Call {phone}
            </a>,
          ] as const,
        ]),
    ['Planned', `${day(task.plannedStart)} to ${day(task.plannedEnd)}, ${formatCount(task.durationDays, 'workday')}`],
    ...(task.actualStart === null
      ? []
      : [['Actual', `${day(task.actualStart)} to ${task.actualEnd === null ? 'now' : day(task.actualEnd)}`] as const]),
    ...(task.actualStart === null || isOver || task.earlyFinish === task.plannedEnd
      ? []
      : [['Expected end', day(task.earlyFinish)] as const]),
    ...(task.remainingDays === null ? [] : [['Work left', formatCount(task.remainingDays, 'workday')] as const]),
    ...(whole === undefined || whole.baselineStart === null || whole.baselineEnd === null
      ? []
      : [['Baseline', `${day(whole.baselineStart)} to ${day(whole.baselineEnd)}`] as const]),
    ...(task.predecessors.length === 0
      ? []
      : [
          [
            'Predecessors',
            task.predecessors.map((link) => describeLink(nameOf(link.taskId), link)).join('; '),
          ] as const,
        ]),
    ['Float', describeFloat(task)],
    ...(readiness === undefined ? [] : [['Readiness', describeReadiness(readiness)] as const]),
    ...(whole === undefined
      ? []
      : [['Vendor confirmation', <Status key="asked" of="confirmation" is={whole.confirmation.status} />] as const]),
    ...(whole?.confirmation.proposedStart == null
      ? []
      : [['Proposed date', day(whole.confirmation.proposedStart)] as const]),
    ...(whole === undefined || whole.delays.length === 0
      ? []
      : [
          [
            'Delays',
            whole.delays
              .map(({ days, reasonCode }) => `${formatCount(days, 'day')}, ${humanizeName(reasonCode).toLowerCase()}`)
              .join('; '),
          ] as const,
        ]),
  ]
  return (
    <Panel
      title={task.name}
      actions={
        <>
          <Button small look="quiet" onClick={onClose}>
            Close
          </Button>
          {whole !== undefined && <TaskActions task={whole} trigger={<Button small>Update task</Button>} />}
          {whole !== undefined && whole.archivedAt === null && can('tasks:write') && (
            <Button small onClick={() => setIsEdited(true)}>
              Edit task
            </Button>
          )}
          {!isOver && can('tasks:write') && (
            <Button small icon="clock" onClick={onDelay}>
              Delay task
            </Button>
          )}
        </>
      }
    >
      <KeyValues facts={facts} />
      {isEdited && whole !== undefined && (
        <EditTaskDialog task={whole} tasks={tasks} onClose={() => setIsEdited(false)} />
      )}
    </Panel>
  )
}

const READINESS_WORDS = {
  ready: 'Ready to start',
  almost: 'Waiting',
  blocked: 'Blocked',
} satisfies Record<TaskReadiness['readiness'], string>

function describeReadiness({ readiness, checks }: TaskReadiness): string {
  const open = checks.filter(({ state }) => state !== 'met').map(({ detail }) => detail)
  return [`${READINESS_WORDS[readiness]}.`, ...open].join(' ')
}

function describeFloat({ totalFloatDays, isCritical }: ScheduledTask): string {
  if (totalFloatDays === null) return 'none: the task is finished'
  if (totalFloatDays < 0) return `${formatCount(-totalFloatDays, 'workday')} behind a fixed date`
  return isCritical
    ? 'none: each day of delay delays the home'
    : `can slip by ${formatCount(totalFloatDays, 'workday')}`
}
