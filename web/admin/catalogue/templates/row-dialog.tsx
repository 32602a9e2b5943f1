import { useId, useState } from 'react'
import type { TaskKind, TaskLagUnit } from '../../../../client/contract.gen.ts'
import { useCan } from '../../../api/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import {
  Field,
  Form,
  readNumberField,
  readTextField,
  SelectField,
  TextAreaField,
  TextField,
} from '../../../ui/form.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { VendorField } from '../../actions/vendor-field.tsx'
import { LinkFields } from '../../homes/link-fields.tsx'
import { TASK_KINDS } from '../../homes/task-words.ts'
import type { RowLink, TemplateRow } from './template-rows.ts'

/** A predecessor in the form. Its key stays the same when the user adds or removes other predecessors. */
type LinkFieldRow = RowLink & { key: number }

/**
 * Shows all fields of a row of a template. The page that shows the dialog stores the row, so the dialog must not be
 * within another form.
 */
export function RowDialog(props: {
  row: TemplateRow
  /** The predecessors, which the user may have typed as text. */
  links: readonly RowLink[]
  /** The other rows of the template, which the row can wait for. */
  others: readonly { key: string; number: number; name: string }[]
  /** The names of the rows that wait for this row. */
  successors: readonly string[]
  trades: readonly string[]
  onSave(row: TemplateRow): void
  onClose(): void
}) {
  const { row, others, successors, trades, onSave, onClose } = props
  const id = useId()
  const can = useCan()
  const [kind, setKind] = useState<TaskKind>(row.taskKind)
  const [vendorId, setVendorId] = useState(row.vendorId)
  const [links, setLinks] = useState<readonly LinkFieldRow[]>(() => props.links.map((link, key) => ({ ...link, key })))
  const save = (form: FormData) => {
    onSave({
      key: row.key,
      name: readTextField(form, 'name') ?? '',
      spanishName: readTextField(form, 'spanishName') ?? '',
      scope: readTextField(form, 'scope') ?? '',
      phase: readTextField(form, 'phase') ?? '',
      taskKind: kind,
      duration: kind === 'milestone' ? '' : (readTextField(form, 'duration') ?? ''),
      vendorId,
      links: links
        .filter(({ to }) => to !== '')
        .map(({ key, to, name, type }) => ({
          ...{ to, type, name: others.find((one) => one.key === to)?.name ?? name },
          lagDays: readNumberField(form, `lag-${key}`) ?? 0,
          lagUnit: form.get(`unit-${key}`) === 'calendar_days' ? 'calendar_days' : ('workdays' as TaskLagUnit),
        })),
      waits: null,
      checklist: (readTextField(form, 'checklist') ?? '')
        .split('\n')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    })
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      size="wide"
      title={row.name.trim() === '' ? 'New task' : row.name}
      note="Nothing is saved until you save the template."
      tail={
        <>
          <span className="note" />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id}>
            Apply
          </Button>
        </>
      }
    >
      <Form id={id} draft={null} error={null} onSubmit={save}>
        <div className="form-row">
          <TextField name="name" label="Name" autoFocus defaultValue={row.name} placeholder="Walls framed" />
          <SelectField
            name="taskKind"
            label="Kind"
            value={kind}
            onChange={(value) => setKind(TASK_KINDS.find((one) => one === value) ?? 'work')}
            options={TASK_KINDS.map((value) => ({ value, label: humanizeName(value) }))}
          />
          {kind !== 'milestone' && (
            <TextField name="duration" label="Duration in workdays" defaultValue={row.duration} placeholder="1" />
          )}
        </div>
        <div className="form-row">
          <Field name="scope" label="Trade" optional>
            {(control) => (
              <input {...control} className="input" list={`${id}-trades`} autoComplete="off" defaultValue={row.scope} />
            )}
          </Field>
          <TextField name="phase" label="Phase" optional defaultValue={row.phase} placeholder="framing" />
          {can('vendors:read') && <VendorField label="Usual vendor" optional value={vendorId} onChange={setVendorId} />}
        </div>
        <datalist id={`${id}-trades`}>
          {trades.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField
          name="spanishName"
          label="Spanish name"
          optional
          defaultValue={row.spanishName}
          hint="Shown in the portal to vendors who read Spanish."
        />
        <PredecessorFields links={links} others={others} onLinks={setLinks} />
        <p className="muted">
          {successors.length === 0
            ? 'No task waits for this task.'
            : `Tasks that wait for this task: ${successors.join(', ')}.`}
        </p>
        <TextAreaField
          name="checklist"
          label="Checklist"
          optional
          rows={4}
          defaultValue={row.checklist.join('\n')}
          hint="One item per line. Every item must be checked before the task can be completed."
        />
      </Form>
    </Dialog>
  )
}

function PredecessorFields(props: {
  links: readonly LinkFieldRow[]
  others: readonly { key: string; number: number; name: string }[]
  onLinks(links: readonly LinkFieldRow[]): void
}) {
  const { links, others, onLinks } = props
  const change = (key: number, fields: Partial<LinkFieldRow>) =>
    onLinks(links.map((link) => (link.key === key ? { ...link, ...fields } : link)))
  const nextKey = 1 + links.reduce((last, { key }) => Math.max(last, key), -1)
  return (
    <fieldset className="group">
      <legend>Predecessors</legend>
      {links.map(({ key, to, name, type, lagDays, lagUnit }) => (
        <div className="form-row link-row" key={key}>
          <SelectField
            name={`to-${key}`}
            label="Task"
            value={to}
            onChange={(one) => change(key, { to: one })}
            options={[
              { value: '', label: 'Choose one' },
              ...(to === '' || others.some((one) => one.key === to) ? [] : [{ value: to, label: `${name} (removed)` }]),
              ...others.map((one) => ({ value: one.key, label: `${one.number} ${one.name}` })),
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
        onClick={() =>
          onLinks([...links, { key: nextKey, to: '', name: '', type: 'FS', lagDays: 0, lagUnit: 'workdays' }])
        }
      >
        Add predecessor
      </Button>
    </fieldset>
  )
}
