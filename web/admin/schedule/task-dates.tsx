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

/** Asks the vendor to confirm the planned day. */
export function AskVendor({ task, onClose }: Props) {
  const { day } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation/request', {
    onSuccess: ({ name }) => {
      say(`Confirmation of ${name} requested`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Request confirmation of ${task.name}`}
      size="narrow"
      word="Send request"
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { taskId: task.id } } })}
    >
      <p className="muted">
        {task.vendorId !== null && <Name of="vendor" id={task.vendorId} isPlain />} will be notified of{' '}
        {day(task.plannedStart)} and answers in the portal. You can also record a response that you get by phone.
      </p>
    </FormDialog>
  )
}

const ANSWERS = {
  confirmed: 'Confirmed',
  declined: 'Declined',
  reschedule_requested: 'Proposed another date',
} satisfies Record<TaskConfirmationAnswer['answer'], string>

/** Records the vendor's answer by phone, for example another day. */
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
      title={`Record vendor response for ${task.name}`}
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
        <TextField name="proposedStart" label="Proposed date" type="date" min={today()} />
      )}
      <TextField name="note" label="Note from the vendor" optional />
    </FormDialog>
  )
}

/** Accepts the day that the vendor proposed, or insists on the planned one. */
export function Decide({ task, onClose }: Props) {
  const { day } = useFormats()
  const [accept, setAccept] = useState('yes')
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation/decision', {
    onSuccess: ({ name, plannedStart, cascade }) => {
      say(
        accept === 'yes'
          ? `${name} starts ${day(plannedStart)}, ${count(cascade.moved.length, 'task')} moved`
          : `${name} stays on ${day(plannedStart)}. The vendor was asked to confirm again.`,
      )
      onClose()
    },
  })
  const { proposedStart, note } = task.confirmation
  return (
    <FormDialog
      title={`Proposed date for ${task.name}`}
      size="narrow"
      word={accept === 'yes' ? 'Move task' : 'Keep date'}
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
          { value: 'yes', label: 'Move the task and its successors to the proposed date' },
          { value: 'no', label: 'Keep the planned date and ask the vendor again' },
        ]}
      />
      {accept === 'no' && <TextField name="reason" label="Reason" optional hint="The vendor will see the reason." />}
    </FormDialog>
  )
}
