import { useState } from 'react'
import type { Task, TaskConfirmationAnswer } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

interface Props {
  task: Task
  onClose(): void
}

/** Asks the vendor to confirm the planned day of a task. */
export function RequestConfirmationDialog({ task, onClose }: Props) {
  const { day } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation/request', {
    onSuccess: ({ name }) => {
      showToast(`Confirmation of ${name} requested`)
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
        {task.vendorId !== null && <RecordName of="vendor" id={task.vendorId} isPlain />} will be asked to confirm{' '}
        {day(task.plannedStart)} and can respond in the portal. You can also record a response that you get by phone.
      </p>
    </FormDialog>
  )
}

const ANSWER_LABELS = {
  confirmed: 'Confirmed',
  declined: 'Declined',
  reschedule_requested: 'Proposed another date',
} satisfies Record<TaskConfirmationAnswer['answer'], string>

/** Lets the user record the response that a vendor gave by phone, such as a different day. */
export function RecordAnswerDialog({ task, onClose }: Props) {
  const { today, day } = useFormats()
  const [answer, setAnswer] = useState<string>('confirmed')
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation', {
    onSuccess: ({ name, confirmation }) => {
      showToast(`${name}: ${STATUS_LOOKS.confirmation[confirmation.status].word.toLowerCase()}`)
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
        const proposedStart = readTextField(form, 'proposedStart')
        change.mutate({
          params: { path: { taskId: task.id } },
          body: {
            answer: answer as TaskConfirmationAnswer['answer'],
            note: readTextField(form, 'note') ?? null,
            ...(answer === 'reschedule_requested' && proposedStart !== undefined && { proposedStart }),
          },
        })
      }}
    >
      <SelectField
        name="answer"
        label={`Response for ${day(task.plannedStart)}`}
        value={answer}
        onChange={setAnswer}
        options={Object.entries(ANSWER_LABELS).map(([value, label]) => ({ value, label }))}
      />
      {answer === 'reschedule_requested' && (
        <TextField name="proposedStart" label="Proposed date" type="date" min={today()} />
      )}
      <TextField name="note" label="Note from the vendor" optional />
    </FormDialog>
  )
}

/** Lets the user accept the day that the vendor proposed, or keep the planned day. */
export function DecideDateDialog({ task, onClose }: Props) {
  const { day } = useFormats()
  const [accept, setAccept] = useState('yes')
  const change = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/confirmation/decision', {
    onSuccess: ({ name, plannedStart, cascade }) => {
      showToast(
        accept === 'yes'
          ? `${name} starts ${day(plannedStart)}, ${formatCount(cascade.moved.length, 'task')} moved`
          : `${name} still starts ${day(plannedStart)}. A new confirmation was requested from the vendor.`,
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
          body: { accept: accept === 'yes', ...(accept === 'no' && { reason: readTextField(form, 'reason') ?? null }) },
        })
      }
    >
      <p className="muted">
        {task.vendorId !== null && <RecordName of="vendor" id={task.vendorId} isPlain />} proposes{' '}
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
