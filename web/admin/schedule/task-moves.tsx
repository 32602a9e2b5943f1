import { useState } from 'react'
import type { InspectionResult, ScheduleCascade, Task, TaskStatusMove } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

export type TaskMoveKind = 'in_progress' | 'on_hold' | 'skipped' | 'resume'

interface Props {
  task: Task
  onClose(): void
}

const MOVE_EFFECTS: Record<TaskMoveKind, string> = {
  in_progress: 'Starts the task. Its successors are scheduled from the actual start date.',
  on_hold: 'Pauses the task until it is resumed.',
  skipped: 'Skips the task. Its successors then depend on its predecessors.',
  resume: 'Restores the previous status and recalculates the schedule.',
}

const MOVE_LABELS: Record<TaskMoveKind, string> = {
  in_progress: 'Start',
  on_hold: 'Put on hold',
  skipped: 'Skip',
  resume: 'Resume',
}

/** Lets the user change the status of a task. Completing a task has its own dialog. */
export function MoveTaskDialog({ task, to, onClose }: Props & { to: TaskMoveKind }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/status', {
    onSuccess: ({ name, status, cascade }) => {
      showToast(`${name}: ${STATUS_LOOKS.task[status].word.toLowerCase()}${describeMovedTasks(cascade)}`)
      onClose()
    },
  })
  const isReopened = task.status === 'completed'
  const isForced = useCanForce(change.error, to === 'in_progress')
  return (
    <FormDialog
      title={
        to === 'on_hold' ? `Put ${task.name} on hold?` : `${isReopened ? 'Reopen' : MOVE_LABELS[to]} ${task.name}?`
      }
      size="narrow"
      word={isReopened ? 'Reopen' : MOVE_LABELS[to]}
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [reason, date] = [readTextField(form, 'reason'), readTextField(form, 'date')]
        change.mutate({
          params: { path: { taskId: task.id } },
          body: {
            status: toStatus(task, to),
            force: isForced && reason !== undefined,
            ...(reason !== undefined && { reason }),
            ...(date !== undefined && { date }),
          },
        })
      }}
    >
      <p className="muted">{MOVE_EFFECTS[to]}</p>
      {to === 'in_progress' && (
        <TextField name="date" label="Start date" type="date" defaultValue={today()} max={today()} />
      )}
      <ReasonField isForced={isForced} isNeeded={isReopened} verb="start" />
    </FormDialog>
  )
}

function toStatus({ status, actualStart }: Task, to: TaskMoveKind): TaskStatusMove['status'] {
  if (to !== 'resume') return to
  return status === 'skipped' || actualStart === null ? 'not_started' : 'in_progress'
}

/**
 * Lets the user complete a task on a date. For an inspection, the user records the result, and for a checklist, each
 * item.
 */
export function CompleteTaskDialog({ task, onClose }: Props) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/complete', {
    onSuccess: ({ name, status, cascade, orders }) => {
      const paid = orders.length === 0 ? '' : `, with ${formatCount(orders.length, 'order')}`
      showToast(`${name} ${status === 'completed' ? 'completed' : 'failed'}${paid}${describeMovedTasks(cascade)}`)
      onClose()
    },
  })
  const isForced = useCanForce(change.error, true)
  const isInspection = task.taskKind === 'inspection'
  return (
    <FormDialog
      title={`Complete ${task.name}`}
      size="narrow"
      word="Complete"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [reason, date] = [readTextField(form, 'reason'), readTextField(form, 'date')]
        const done = new Set(form.getAll('done'))
        change.mutate({
          params: { path: { taskId: task.id } },
          body: {
            force: isForced && reason !== undefined,
            ...(date !== undefined && { date }),
            ...(reason !== undefined && { reason }),
            ...(isInspection && { inspectionResult: form.get('inspectionResult') as InspectionResult }),
            ...(task.checklist.length > 0 && {
              checklist: task.checklist.map(({ text }, at) => ({ text, done: done.has(String(at)) })),
            }),
          },
        })
      }}
    >
      <p className="muted">
        Successors move earlier or later with the actual completion date.
        {task.payOnComplete && ' Its orders are completed and become payable.'}
      </p>
      <TextField name="date" label="Date" type="date" defaultValue={today()} max={today()} />
      {isInspection && (
        <SelectField
          name="inspectionResult"
          label="Result"
          options={[
            { value: 'passed', label: 'Passed' },
            { value: 'failed', label: 'Failed: the task stays open and successors wait' },
          ]}
        />
      )}
      {task.checklist.length > 0 && (
        <fieldset className="stack">
          <legend>Checklist</legend>
          {task.checklist.map((item, at) => (
            <label className="check" key={item.text}>
              <input type="checkbox" name="done" value={at} defaultChecked={item.done} />
              {item.text}
            </label>
          ))}
        </fieldset>
      )}
      <ReasonField isForced={isForced} isNeeded={false} verb="complete" />
    </FormDialog>
  )
}

/**
 * Returns whether the service has reported an obstacle that can be overridden. After the value becomes true, it stays
 * true while the form is open.
 */
function useCanForce(error: unknown, canForce: boolean): boolean {
  const [wasRefused, setWasRefused] = useState(false)
  const isRefused = canForce && error !== null && toErrorMessage(error).problem?.code === 'conflict'
  if (isRefused && !wasRefused) setWasRefused(true)
  return wasRefused || isRefused
}

function ReasonField({ isForced, isNeeded, verb }: { isForced: boolean; isNeeded: boolean; verb: string }) {
  return (
    <TextField
      name="reason"
      label={isForced ? 'Reason for override' : 'Reason'}
      optional={!isForced && !isNeeded}
      hint={
        isForced ? `You can ${verb} the task if you enter a reason. The reason is recorded in the history.` : undefined
      }
    />
  )
}

function describeMovedTasks({ moved }: ScheduleCascade): string {
  return moved.length === 0 ? '' : `, ${formatCount(moved.length, 'task')} moved`
}
