import { useState } from 'react'
import type {
  ScheduledTask,
  Task,
  TaskConstraintType,
  TaskCreate,
  TaskLagUnit,
  TaskLinkType,
  TaskUpdate,
} from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { FieldErrorAt, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { LinkFields } from './link-fields.tsx'
import { TASK_KINDS } from './task-words.ts'

/** The page size limit of one request. */
const MAX_RECORDS = 200

const CONSTRAINTS: Record<TaskConstraintType, string> = {
  none: 'As soon as the predecessors allow',
  start_no_earlier_than: 'Not before a date',
  must_start_on: 'On a date, even if predecessors are late',
  hold: 'On a date, independent of predecessors',
}

/** A predecessor in the form. Its key stays the same when the user adds or removes other predecessors. */
interface LinkRow {
  key: number
  taskId: string
  type: TaskLinkType
  lagDays: number
  lagUnit: TaskLagUnit
}

/** Lets the user create a task of a home. */
export function NewTaskDialog(props: { homeId: string; tasks: readonly ScheduledTask[]; onClose(): void }) {
  const { homeId, tasks, onClose } = props
  const change = plumbline.useMutation('post', '/api/ext/tasks', {
    onSuccess: ({ name, cascade }) => {
      showToast(`${name} added${describeMoved(cascade.moved.length)}`)
      onClose()
    },
  })
  const [links, setLinks] = useState<readonly LinkRow[]>([])
  return (
    <FormDialog
      title="New task"
      word="Add task"
      size="wide"
      {...{ change, onClose }}
      onSubmit={(form) => change.mutate({ body: { homeId, ...readTask(form, links) } satisfies TaskCreate })}
    >
      <TaskFields task={null} tasks={tasks} links={links} onLinks={setLinks} />
    </FormDialog>
  )
}

/** Lets the user change a task: its name, vendor, duration, start, and predecessors. Sends only the changed fields. */
export function EditTaskDialog(props: { task: Task; tasks: readonly ScheduledTask[]; onClose(): void }) {
  const { task, tasks, onClose } = props
  const change = plumbline.useMutation('patch', '/api/ext/tasks/{taskId}', {
    onSuccess: ({ name, cascade }) => {
      showToast(`${name} updated${describeMoved(cascade.moved.length)}`)
      onClose()
    },
  })
  const [links, setLinks] = useState<readonly LinkRow[]>(() => task.predecessors.map((link, key) => ({ key, ...link })))
  return (
    <FormDialog
      title={`Edit ${task.name}`}
      word="Save task"
      size="wide"
      {...{ change, onClose }}
      of={task}
      onSubmit={(form, ifMatch) => {
        const body = pickChanges({ ...readTask(form, links), ...readProgress(form, task) }, task)
        if (Object.keys(body).length === 0) return onClose()
        change.mutate({ params: { path: { taskId: task.id }, header: ifMatch }, body })
      }}
    >
      <TaskFields task={task} tasks={tasks} links={links} onLinks={setLinks} />
    </FormDialog>
  )
}

function describeMoved(count: number): string {
  return count === 0 ? '' : `, ${formatCount(count, 'task')} moved`
}

type EnteredTask = Omit<TaskCreate, 'homeId'>

function readTask(form: FormData, links: readonly LinkRow[]): EnteredTask {
  const taskKind = TASK_KINDS.find((kind) => kind === form.get('taskKind')) ?? 'work'
  const type = (readTextField(form, 'constraintType') ?? 'none') as TaskConstraintType
  const date = readTextField(form, 'constraintDate')
  return {
    name: readTextField(form, 'name') ?? '',
    spanishName: readTextField(form, 'spanishName') ?? null,
    ...{ taskKind, scope: readTextField(form, 'scope') ?? null, phase: readTextField(form, 'phase') ?? null },
    durationDays: taskKind === 'milestone' ? 0 : (readNumberField(form, 'durationDays') ?? 1),
    vendorId: readTextField(form, 'vendorId') ?? null,
    constraint: { type, ...(type !== 'none' && date !== undefined && { date }) },
    workdayOverride: form.get('workdayOverride') !== null,
    predecessors: links
      .filter(({ taskId }) => taskId !== '')
      .map(({ key, taskId, type: link }) => ({
        ...{ taskId, type: link, lagDays: readNumberField(form, `lag-${key}`) ?? 0 },
        lagUnit: form.get(`unit-${key}`) === 'calendar_days' ? 'calendar_days' : 'workdays',
      })),
  }
}

/** Reads the progress that the user reports for a started task. */
function readProgress(form: FormData, { actualStart, status }: Task): TaskUpdate {
  if (actualStart === null || status === 'completed') return {}
  const percentComplete = readNumberField(form, 'percentComplete')
  return {
    remainingDays: readNumberField(form, 'remainingDays') ?? null,
    ...(percentComplete !== undefined && { percentComplete }),
  }
}

/** Returns the fields that differ from the stored task. Sending an unchanged constraint would reset earlier delays. */
function pickChanges(entered: TaskUpdate, stored: Task): TaskUpdate {
  return Object.fromEntries(
    Object.entries(entered).filter(([field, value]) => {
      const before = stored[field as keyof Task]
      const now = field === 'constraint' ? { type: 'none', date: null, ...(value as object) } : value
      return JSON.stringify(sortFields(now)) !== JSON.stringify(sortFields(before))
    }),
  )
}

function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sortFields(inner)]),
  )
}

function TaskFields(props: {
  task: Task | null
  tasks: readonly ScheduledTask[]
  links: readonly LinkRow[]
  onLinks(links: readonly LinkRow[]): void
}) {
  const { task, tasks, links, onLinks } = props
  const can = useCan()
  const [kind, setKind] = useState<string>(task?.taskKind ?? 'work')
  const [constraint, setConstraint] = useState<string>(task?.constraint.type ?? 'none')
  const trades = useListPage('/api/ext/scopes', { limit: MAX_RECORDS, sort: 'name' }, { enabled: can('vendors:read') })
  const vendors = useListPage(
    '/api/ext/vendors',
    { limit: MAX_RECORDS, sort: 'companyName', status: 'active' },
    { enabled: can('vendors:read') },
  )
  const isStarted = task !== null && task.actualStart !== null && task.status !== 'completed'
  const trade = task?.scope ?? ''
  const names = (trades.data?.data ?? []).map(({ name }) => name)
  const known = (vendors.data?.data ?? []).map(({ id, companyName }) => ({ value: id, label: companyName }))
  const vendor = task?.vendorId ?? ''
  return (
    <>
      <div className="form-row">
        <TextField name="name" label="Name" defaultValue={task?.name ?? ''} autoFocus placeholder="Walls framed" />
        <SelectField
          name="taskKind"
          label="Kind"
          value={kind}
          onChange={setKind}
          options={TASK_KINDS.map((value) => ({ value, label: humanizeName(value) }))}
        />
        {kind !== 'milestone' && (
          <TextField
            name="durationDays"
            label="Duration in workdays"
            defaultValue={task === null || task.durationDays === 0 ? 1 : task.durationDays}
          />
        )}
      </div>
      <div className="form-row">
        <SelectField
          // Renders the field again when the options arrive, which is after the form opens.
          key={`trade ${names.length}`}
          name="scope"
          label="Trade"
          optional
          defaultValue={trade}
          options={[
            { value: '', label: 'None' },
            ...[...new Set([...names, ...(trade === '' ? [] : [trade])])].map((name) => ({
              value: name,
              label: humanizeName(name),
            })),
          ]}
        />
        <SelectField
          key={`vendor ${known.length}`}
          name="vendorId"
          label="Vendor"
          optional
          defaultValue={vendor}
          options={[
            { value: '', label: 'Not assigned' },
            ...known,
            ...(vendor === '' || known.some(({ value }) => value === vendor)
              ? []
              : [{ value: vendor, label: 'Current vendor' }]),
          ]}
        />
        <TextField name="phase" label="Phase" optional defaultValue={task?.phase ?? ''} />
      </div>
      <TextField
        name="spanishName"
        label="Spanish name"
        optional
        defaultValue={task?.spanishName ?? ''}
        hint="Shown in the portal to vendors who read Spanish."
      />
      <div className="form-row">
        <SelectField
          name="constraintType"
          label="Start"
          value={constraint}
          onChange={setConstraint}
          options={Object.entries(CONSTRAINTS).map(([value, label]) => ({ value, label }))}
        />
        {constraint !== 'none' && (
          <TextField
            name="constraintDate"
            pointer="/constraint"
            label="Date"
            type="date"
            defaultValue={task?.constraint.date ?? task?.plannedStart ?? ''}
          />
        )}
      </div>
      {(constraint === 'must_start_on' || constraint === 'hold') && (
        <label className="check">
          <input type="checkbox" name="workdayOverride" defaultChecked={task?.workdayOverride ?? false} />
          Work on this date even if it is a day off
        </label>
      )}
      <PredecessorFields {...{ links, onLinks }} tasks={tasks.filter(({ taskId }) => taskId !== task?.id)} />
      {isStarted && (
        <div className="form-row">
          <TextField
            name="remainingDays"
            label="Workdays of work left"
            optional
            defaultValue={task.remainingDays ?? ''}
            hint="Including today. If empty, the duration determines the end."
          />
          <TextField name="percentComplete" label="Percent complete" defaultValue={task.percentComplete} />
        </div>
      )}
    </>
  )
}

/** Shows the fields for the predecessors of a task, each with its type and lag. */
function PredecessorFields(props: {
  links: readonly LinkRow[]
  tasks: readonly ScheduledTask[]
  onLinks(links: readonly LinkRow[]): void
}) {
  const { links, tasks, onLinks } = props
  const change = (key: number, fields: Partial<LinkRow>) =>
    onLinks(links.map((link) => (link.key === key ? { ...link, ...fields } : link)))
  const nextKey = 1 + links.reduce((last, { key }) => Math.max(last, key), -1)
  return (
    <fieldset className="group">
      <legend>Predecessors</legend>
      <FieldErrorAt pointer="/predecessors" />
      {links.map(({ key, taskId, type, lagDays, lagUnit }) => (
        <div className="form-row link-row" key={key}>
          <SelectField
            name={`task-${key}`}
            label="Task"
            value={taskId}
            onChange={(id) => change(key, { taskId: id })}
            options={[
              { value: '', label: 'Choose one' },
              ...tasks.map((one) => ({ value: one.taskId, label: one.name })),
            ]}
          />
          <LinkFields
            link={{ key, type, lagDays, lagUnit }}
            onType={(type) => change(key, { type })}
            onRemove={() => onLinks(links.filter((link) => link.key !== key))}
          />
        </div>
      ))}
      <Button
        small
        icon="plus"
        onClick={() => onLinks([...links, { key: nextKey, taskId: '', type: 'FS', lagDays: 0, lagUnit: 'workdays' }])}
      >
        Add predecessor
      </Button>
    </fieldset>
  )
}
