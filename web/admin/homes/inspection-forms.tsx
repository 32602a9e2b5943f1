import type { Inspection } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const WINDOWS = [
  { value: 'any', label: 'Any time' },
  { value: 'am', label: 'Morning' },
  { value: 'pm', label: 'Afternoon' },
] as const

const AUTHORITIES = [
  { value: 'municipal', label: 'Municipal' },
  { value: 'internal', label: 'Internal' },
  { value: 'third_party', label: 'Third party' },
] as const

const MAX_TASKS = 100

/** Lets the user schedule an inspection, with or without an inspection task of the home. */
export function InspectionForm({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const tasks = useListPage('/api/ext/tasks', {
    homeId,
    taskKind: 'inspection',
    limit: MAX_TASKS,
    sort: 'plannedStart',
  })
  const open = (tasks.data?.data ?? []).filter(({ status }) => status === 'not_started' || status === 'in_progress')
  const change = plumbline.useMutation('post', '/api/ext/inspections', {
    onSuccess: ({ name, status }) => {
      showToast(`${name} ${status}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add inspection"
      size="narrow"
      word="Add inspection"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [taskId, name, scheduledDate] = [
          readTextField(form, 'taskId'),
          readTextField(form, 'name'),
          readTextField(form, 'date'),
        ]
        change.mutate({
          body: {
            homeId,
            authority:
              AUTHORITIES.find(({ value }) => value === readTextField(form, 'authority'))?.value ?? 'municipal',
            window: readWindow(form),
            ...(taskId !== undefined && { taskId }),
            ...(name !== undefined && { name }),
            ...(scheduledDate !== undefined && { scheduledDate }),
          },
        })
      }}
    >
      <SelectField
        name="taskId"
        label="Task"
        optional
        options={[{ value: '', label: 'No task' }, ...open.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      <TextField name="name" label="Name" optional hint="Leave empty to use the name of the task." />
      <SelectField name="authority" label="Authority" options={AUTHORITIES} />
      <TextField
        name="date"
        label="Date"
        type="date"
        optional
        hint="Leave empty to request the inspection without a date."
      />
      <SelectField name="window" label="Time" options={WINDOWS} />
    </FormDialog>
  )
}

/** Lets the user change the date of an inspection. */
export function InspectionDateForm({ inspection, onClose }: { inspection: Inspection; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/inspections/{inspectionId}/status', {
    onSuccess: ({ name }) => {
      showToast(`${name} scheduled`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Schedule ${inspection.name}`}
      size="narrow"
      word="Schedule"
      {...{ change, onClose }}
      of={inspection}
      onSubmit={(form, header) => {
        const date = readTextField(form, 'date')
        change.mutate({
          params: { path: { inspectionId: inspection.id }, header },
          body: { status: 'scheduled', window: readWindow(form), ...(date !== undefined && { date }) },
        })
      }}
    >
      <TextField
        name="date"
        label="Date"
        type="date"
        min={today()}
        defaultValue={inspection.scheduledDate ?? today()}
      />
      <SelectField name="window" label="Time of day" defaultValue={inspection.window} options={WINDOWS} />
    </FormDialog>
  )
}

function readWindow(form: FormData): Inspection['window'] {
  return WINDOWS.find(({ value }) => value === readTextField(form, 'window'))?.value ?? 'any'
}
