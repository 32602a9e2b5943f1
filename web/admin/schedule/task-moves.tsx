import { useState } from 'react'
import type { InspectionResult, ScheduleCascade, Task, TaskStatusMove } from '../../../client/contract.gen.ts'
import { faultOf } from '../../api/fault.ts'
import { plumbline } from '../../api/plumbline.ts'
import { SelectField, TextField, typed } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { useFormats } from '../../ui/organization.ts'
import { say } from '../../ui/toast.tsx'
import { count } from '../../ui/words.ts'

export type MoveOfTask = 'in_progress' | 'on_hold' | 'skipped' | 'resume'

interface Props {
  task: Task
  onClose(): void
}

const EFFECTS: Record<MoveOfTask, string> = {
  in_progress: 'Starts the task. Its successors are scheduled from the actual start date.',
  on_hold: 'Pauses the task until it is resumed.',
  skipped: 'Skips the task. Its successors then depend on its predecessors.',
  resume: 'Restores the previous status and recalculates the schedule.',
}

const WORDS: Record<MoveOfTask, string> = {
  in_progress: 'Start',
  on_hold: 'Put on hold',
  skipped: 'Skip',
  resume: 'Resume',
}

/** Moves a task to a status other than completed. */
export function MoveTask({ task, to, onClose }: Props & { to: MoveOfTask }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/status', {
    onSuccess: ({ name, status, cascade }) => {
      say(`${name}: ${LOOKS.task[status].word.toLowerCase()}${movedInWords(cascade)}`)
      onClose()
    },
  })
  const isReopened = task.status === 'completed'
  const isForced = useForce(change.error, to === 'in_progress')
  return (
    <FormDialog
      title={to === 'on_hold' ? `Put ${task.name} on hold?` : `${isReopened ? 'Reopen' : WORDS[to]} ${task.name}?`}
      size="narrow"
      word={isReopened ? 'Reopen' : WORDS[to]}
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [reason, date] = [typed(form, 'reason'), typed(form, 'date')]
        change.mutate({
          params: { path: { taskId: task.id } },
          body: {
            status: statusFor(task, to),
            force: isForced && reason !== undefined,
            ...(reason !== undefined && { reason }),
            ...(date !== undefined && { date }),
          },
        })
      }}
    >
      <p className="muted">{EFFECTS[to]}</p>
      {to === 'in_progress' && <TextField name="date" label="Since" type="date" defaultValue={today()} max={today()} />}
      <Reason isForced={isForced} isNeeded={isReopened} verb="start" />
    </FormDialog>
  )
}

function statusFor({ status, actualStart }: Task, to: MoveOfTask): TaskStatusMove['status'] {
  if (to !== 'resume') return to
  return status === 'skipped' || actualStart === null ? 'not_started' : 'in_progress'
}

/** Completes a task on a date, an inspection with its result, and a checklist item by item. */
export function CompleteTask({ task, onClose }: Props) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/complete', {
    onSuccess: ({ name, cascade, orders }) => {
      const paid = orders.length === 0 ? '' : `, with ${count(orders.length, 'order')}`
      say(`${name} completed${paid}${movedInWords(cascade)}`)
      onClose()
    },
  })
  const isForced = useForce(change.error, true)
  const isInspection = task.taskKind === 'inspection'
  return (
    <FormDialog
      title={`Complete ${task.name}`}
      size="narrow"
      word="Complete"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [reason, date] = [typed(form, 'reason'), typed(form, 'date')]
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
            { value: 'failed', label: 'Failed: successors cannot start' },
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
      <Reason isForced={isForced} isNeeded={false} verb="complete" />
    </FormDialog>
  )
}

/**
 * Whether the service has named an obstacle that can be overridden. Once true, it stays true while the form is open.
 */
function useForce(error: unknown, canForce: boolean): boolean {
  const [wasRefused, setWasRefused] = useState(false)
  const isRefused = canForce && error !== null && faultOf(error).problem?.code === 'conflict'
  if (isRefused && !wasRefused) setWasRefused(true)
  return wasRefused || isRefused
}

function Reason({ isForced, isNeeded, verb }: { isForced: boolean; isNeeded: boolean; verb: string }) {
  return (
    <TextField
      name="reason"
      label={isForced ? 'Reason for override' : 'Reason'}
      optional={!isForced && !isNeeded}
      hint={isForced ? `You can ${verb} it with a reason. It is recorded in the history.` : undefined}
    />
  )
}

function movedInWords({ moved }: ScheduleCascade): string {
  return moved.length === 0 ? '' : `, ${count(moved.length, 'task')} moved`
}
