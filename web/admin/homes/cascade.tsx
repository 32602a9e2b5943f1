import { useState } from 'react'
import type { ScheduleCascade, TaskMove } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'

/** The number of tasks that are shown at first. These need a phone call next; the other tasks depend on them. */
const INITIAL_TASKS = 8

/** Lists the tasks that a delay would move, with their dates and the vendors that would be notified. */
export function Cascade({ of: cascade }: { of: ScheduleCascade }) {
  const { day } = useFormats()
  const [isWhole, setIsWhole] = useState(false)
  const rows = isWhole ? cascade.moved : cascade.moved.slice(0, INITIAL_TASKS)
  const can = useCan()
  const tasks = useRecords('/api/ext/tasks', can('tasks:read') ? rows.map(({ taskId }) => taskId) : [])
  const reported = new Map(
    cascade.notices.flatMap(({ kind, tasks: moved }) => moved.map(({ taskId }) => [taskId, kind] as const)),
  )
  const columns: readonly Column<TaskMove>[] = [
    { head: 'Task', cell: ({ name }) => name },
    {
      head: 'Vendor',
      cell: ({ vendorId }) =>
        vendorId === null ? <EmptyCell word="not assigned" /> : <RecordName of="vendor" id={vendorId} />,
    },
    {
      head: 'Before',
      className: 'nowrap',
      cell: ({ oldStart, oldEnd, newStart }) => (
        <span className="faint">{oldStart === newStart ? `until ${day(oldEnd)}` : day(oldStart)}</span>
      ),
    },
    {
      head: 'After',
      className: 'nowrap',
      cell: ({ oldStart, newStart, newEnd }) => (oldStart === newStart ? `until ${day(newEnd)}` : day(newStart)),
    },
    {
      head: 'Vendor confirmation',
      cell: ({ taskId }) => {
        const task = tasks.get(taskId)
        return task === undefined ? '' : <Status of="confirmation" is={task.confirmation.status} bare />
      },
    },
    {
      head: 'Notice',
      cell: ({ taskId }) => {
        const kind = reported.get(taskId)
        if (kind === undefined) return <EmptyCell word="none: not notified yet" />
        return kind === 'postponed' ? 'Postponed' : 'Moved earlier'
      },
    },
  ]
  const { oldForecast, newForecast } = cascade
  return (
    <Panel
      title="Tasks moved by the delay"
      hint={formatCount(cascade.moved.length, 'task')}
      isFlush
      actions={
        rows.length < cascade.moved.length && (
          <Button small look="quiet" onClick={() => setIsWhole(true)}>
            Show all {cascade.moved.length}
          </Button>
        )
      }
      foot={
        oldForecast === null || newForecast === null || oldForecast === newForecast
          ? 'The completion date does not change'
          : `The completion date moves from ${day(oldForecast)} to ${day(newForecast)}`
      }
    >
      <div className="table-wrap">
        <Table caption="Effects of the delay" columns={columns} rows={rows} keyOf={({ taskId }) => taskId} />
      </div>
    </Panel>
  )
}
