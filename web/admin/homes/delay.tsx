import type { UseQueryResult } from '@tanstack/react-query'
import type {
  DelayReason,
  DelayResponsible,
  Problem,
  ScheduledTask,
  TaskChanged,
} from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Form, readTextField, SelectField, TextAreaField } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** A delay that the user simulates. `days` is null while the typed text is not a number of workdays. */
export interface TriedDelay {
  taskId: string
  days: number | null
}

const REASON_LABELS = {
  weather: 'Weather',
  vendor_no_show: 'Vendor did not show',
  vendor_error: 'Vendor error',
  poor_workmanship: 'Poor workmanship',
  material_delay: 'Material delay',
  failed_inspection: 'Failed inspection',
  permit: 'Permit',
  design_change: 'Design change',
  late_selection: 'Late selection',
  theft_vandalism: 'Theft or vandalism',
  builder: 'Builder',
  other: 'Other',
} satisfies Record<DelayReason, string>

const RESPONSIBLE = ['builder', 'customer', 'vendor'] satisfies DelayResponsible[]

const FORM_ID = 'delay'

/** Shows the effect of a delay before the user saves it. */
export function DelayBanner(props: {
  task: ScheduledTask
  delay: TriedDelay
  preview: UseQueryResult<TaskChanged, Problem>
  onDiscard(): void
}) {
  const { task, delay, preview, onDiscard } = props
  const { day } = useFormats()
  if (preview.error !== null && delay.days !== null) return <ChangeError error={preview.error} />
  const cascade = delay.days === null ? undefined : preview.data?.cascade
  const own = cascade?.moved.find(({ taskId }) => taskId === task.taskId)
  const vendors = new Set(cascade?.moved.flatMap(({ vendorId }) => (vendorId === null ? [] : [vendorId]))).size
  return (
    <div className="banner" data-tone="warn" role="status">
      <Icon name="eye" />
      <div>
        {own === undefined || cascade === undefined ? (
          <strong>To preview the changes, enter the number of workdays that {task.name} is late.</strong>
        ) : (
          <>
            <strong>
              Preview: {task.name} ends {day(own.newEnd)} instead of {day(own.oldEnd)}.
            </strong>{' '}
            <span className="muted">
              {formatCount(cascade.moved.length, 'task moves', 'tasks move')},{' '}
              {formatCount(vendors, 'vendor’s', 'vendors’')} dates change,{' '}
              {formatCount(cascade.notices.length, 'vendor was', 'vendors were')} already notified. Nothing is saved
              yet.
            </span>
          </>
        )}
      </div>
      <span className="row">
        <Button small look="quiet" onClick={onDiscard}>
          Discard delay
        </Button>
        <Button small look="primary" type="submit" form={FORM_ID} disabled={own === undefined || preview.isFetching}>
          Apply delay
        </Button>
      </span>
    </div>
  )
}

export function DelayForm(props: {
  task: ScheduledTask
  delay: TriedDelay
  newEnd: string | undefined
  onChange(days: number | null): void
  onDone(): void
}) {
  const { task, delay, newEnd, onChange, onDone } = props
  const { day } = useFormats()
  const apply = plumbline.useMutation('post', '/api/ext/tasks/{taskId}/delay', {
    onSuccess: ({ cascade }) => {
      showToast(`${task.name} delayed, ${formatCount(cascade.moved.length, 'task')} moved`)
      onDone()
    },
  })
  const submit = (form: FormData) => {
    if (delay.days === null || apply.isPending) return
    const responsible = readTextField(form, 'responsible') as DelayResponsible | undefined
    const note = readTextField(form, 'note')
    apply.mutate({
      params: { path: { taskId: task.taskId } },
      body: {
        days: delay.days,
        reasonCode: readTextField(form, 'reasonCode') as DelayReason,
        ...(responsible !== undefined && { responsible }),
        ...(note !== undefined && { note }),
      },
    })
  }
  return (
    <Panel title="The delay">
      <Form id={FORM_ID} draft={`delay ${task.taskId}`} error={apply.error} onSubmit={submit}>
        <Field name="days" label="Workdays">
          {(control) => (
            <div className="input">
              <input
                {...control}
                inputMode="numeric"
                defaultValue={delay.days ?? ''}
                autoComplete="off"
                onChange={(event) => onChange(parseWorkdays(event.target.value))}
              />
              <span className="affix">{newEnd === undefined ? 'from 1 to 365' : `ends ${day(newEnd)}`}</span>
            </div>
          )}
        </Field>
        <SelectField
          name="reasonCode"
          label="Reason"
          options={Object.entries(REASON_LABELS).map(([value, label]) => ({ value, label }))}
        />
        <SelectField
          name="responsible"
          label="Responsible party"
          options={[
            { value: '', label: 'Default for the reason' },
            ...RESPONSIBLE.map((value) => ({ value, label: humanizeName(value) })),
          ]}
        />
        <TextAreaField name="note" label="Note" optional rows={2} />
      </Form>
    </Panel>
  )
}

function parseWorkdays(text: string): number | null {
  const days = Number(text)
  return Number.isInteger(days) && days >= 1 && days <= 365 ? days : null
}
