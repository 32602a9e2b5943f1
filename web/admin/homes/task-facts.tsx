import type { ReactNode } from 'react'
import type { ScheduledTask } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { humanize, Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { TaskActions } from '../schedule/task-actions.tsx'

/** Shows one task of the schedule: its vendor, its dates, its float, and whether the vendor confirmed. */
export function TaskFacts(props: { task: ScheduledTask; onClose(): void; onDelay(): void }) {
  const { task, onClose, onDelay } = props
  const { day } = useFormats()
  const can = useCan()
  const whole = plumbline.useQuery('get', '/api/ext/tasks/{taskId}', { params: { path: { taskId: task.taskId } } }).data
  const isOver = task.status === 'completed' || task.status === 'skipped'
  const facts: (readonly [string, ReactNode])[] = [
    ['Status', <Status key="status" of="task" is={task.status} />],
    [
      'Vendor',
      task.vendorId === null ? <EmptyCell word="not assigned" /> : <RecordName of="vendor" id={task.vendorId} />,
    ],
    ['Planned', `${day(task.plannedStart)} to ${day(task.plannedEnd)}, ${formatCount(task.durationDays, 'workday')}`],
    ...(task.actualStart === null
      ? []
      : [['Actual', `${day(task.actualStart)} to ${task.actualEnd === null ? 'now' : day(task.actualEnd)}`] as const]),
    ['Float', describeFloat(task)],
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
              .map(({ days, reasonCode }) => `${formatCount(days, 'day')}, ${humanize(reasonCode).toLowerCase()}`)
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
          {whole !== undefined && <TaskActions task={whole} trigger={<Button small>Report</Button>} />}
          {!isOver && can('tasks:write') && (
            <Button small icon="clock" onClick={onDelay}>
              Delay
            </Button>
          )}
        </>
      }
    >
      <KeyValues facts={facts} />
    </Panel>
  )
}

function describeFloat({ totalFloatDays, isCritical }: ScheduledTask): string {
  if (totalFloatDays === null) return 'none: the task is finished'
  if (totalFloatDays < 0) return `${formatCount(-totalFloatDays, 'workday')} behind a fixed date`
  return isCritical
    ? 'none: each day of delay delays the home'
    : `can slip by ${formatCount(totalFloatDays, 'workday')}`
}
