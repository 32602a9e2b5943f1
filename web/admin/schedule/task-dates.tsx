import { useState } from 'react'
import type { Task, TaskConfirmationAnswer } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { SelectField, TextField, typed } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import { say } from '../../ui/toast.tsx'
import { count } from '../../ui/words.ts'

interface Props {
  task: Task
  onClose(): void
}

/** Asks the vendor whether it comes on the planned day. */
export function AskVendor({ task, onClose }: Props) {
  const { day } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation/request', {
    onSuccess: ({ name }) => {
      say(`The vendor of ${name} is asked`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Ask to confirm: ${task.name}`}
      size="narrow"
      word="Ask"
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { taskId: task.id } } })}
    >
      <p className="muted">
        {task.vendorId !== null && <Name of="vendor" id={task.vendorId} isPlain />} is told {day(task.plannedStart)} and
        answers on its own page. Whatever it says by phone can be recorded here.
      </p>
    </FormDialog>
  )
}

const ANSWERS = {
  confirmed: 'It comes',
  declined: 'It does not come',
  reschedule_requested: 'It can come on another day',
} satisfies Record<TaskConfirmationAnswer['answer'], string>

/** Records what the vendor said of the date on the phone, such as another day. */
export function Answer({ task, onClose }: Props) {
  const { today, day } = useFormats()
  const [answer, setAnswer] = useState<string>('confirmed')
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation', {
    onSuccess: ({ name, confirmation }) => {
      say(`${name}: ${LOOKS.confirmation[confirmation.status].word.toLowerCase()}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`What the vendor says: ${task.name}`}
      size="narrow"
      word="Record"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const proposedStart = typed(form, 'proposedStart')
        change.mutate({
          params: { path: { taskId: task.id } },
          body: {
            answer: answer as TaskConfirmationAnswer['answer'],
            note: typed(form, 'note') ?? null,
            ...(answer === 'reschedule_requested' && proposedStart !== undefined && { proposedStart }),
          },
        })
      }}
    >
      <SelectField
        name="answer"
        label={`To ${day(task.plannedStart)}`}
        value={answer}
        onChange={setAnswer}
        options={Object.entries(ANSWERS).map(([value, label]) => ({ value, label }))}
      />
      {answer === 'reschedule_requested' && (
        <TextField name="proposedStart" label="The other day" type="date" min={today()} />
      )}
      <TextField name="note" label="In its words" optional />
    </FormDialog>
  )
}

/** Takes the day that the vendor proposed, or holds it to the planned one. */
export function Decide({ task, onClose }: Props) {
  const { day } = useFormats()
  const [accept, setAccept] = useState('yes')
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation/decision', {
    onSuccess: ({ name, plannedStart, cascade }) => {
      say(
        accept === 'yes'
          ? `${name} starts ${day(plannedStart)}, ${count(cascade.moved.length, 'task')} moved`
          : `${name} stays on ${day(plannedStart)}; its vendor is asked again`,
      )
      onClose()
    },
  })
  const { proposedStart, note } = task.confirmation
  return (
    <FormDialog
      title={`Another date: ${task.name}`}
      size="narrow"
      word={accept === 'yes' ? 'Move the task' : 'Hold the date'}
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { taskId: task.id } },
          body: { accept: accept === 'yes', ...(accept === 'no' && { reason: typed(form, 'reason') ?? null }) },
        })
      }
    >
      <p className="muted">
        {task.vendorId !== null && <Name of="vendor" id={task.vendorId} isPlain />} proposes{' '}
        <strong>{proposedStart === null ? 'another day' : day(proposedStart)}</strong> instead of{' '}
        {day(task.plannedStart)}
        {note === null ? '.' : `: “${note}”`}
      </p>
      <SelectField
        name="accept"
        label="Decision"
        value={accept}
        onChange={setAccept}
        options={[
          { value: 'yes', label: 'Move the task to it, and what follows with it' },
          { value: 'no', label: 'Hold the planned day, and ask again' },
        ]}
      />
      {accept === 'no' && <TextField name="reason" label="Reason" optional hint="The vendor reads it." />}
    </FormDialog>
  )
}
