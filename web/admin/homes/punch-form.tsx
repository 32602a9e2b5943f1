import { useListPage } from '../../api/list-pages.ts'
import { useSkill } from '../../api/use-skill.ts'
import { readTextField, readTextFields, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const PRIORITIES = ['routine', 'before_closing', 'safety'] as const
const MAX_WALKTHROUGHS = 20

/**
 * Lets the user add a punch item. If a vendor and a due date are entered, the item is assigned immediately. The vendor
 * can be entered by name.
 */
export function PunchItemForm({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const { today, day } = useFormats()
  const walks = useListPage('/api/ext/walkthroughs', { homeId, status: 'open', limit: MAX_WALKTHROUGHS })
  const create = useSkill('createPunchItem', {
    onSuccess: ({ result }) => {
      showToast(`${result.number} added`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add punch item"
      size="narrow"
      word="Add item"
      change={create}
      onClose={onClose}
      onSubmit={(form) =>
        create.run({
          ...{ homeId, description: readTextField(form, 'description') ?? '' },
          ...readTextFields(form, 'location', 'scope', 'vendorId', 'dueDate', 'walkthroughId'),
          priority: PRIORITIES.find((one) => one === form.get('priority')) ?? 'routine',
        })
      }
    >
      <TextAreaField name="description" label="Work to do" />
      <TextField name="location" label="Room" optional />
      <TextField name="scope" label="Trade" optional />
      <TextField
        name="vendorId"
        label="Vendor"
        optional
        hint="Enter the company name. Leave empty to assign a vendor later."
      />
      <TextField name="dueDate" label="Due" type="date" optional min={today()} />
      <SelectField
        name="priority"
        label="Priority"
        options={PRIORITIES.map((value) => ({ value, label: humanizeName(value) }))}
      />
      <SelectField
        name="walkthroughId"
        label="Walkthrough"
        optional
        options={[
          { value: '', label: 'None' },
          ...(walks.data?.data ?? []).map(({ id, kind, date }) => ({
            value: id,
            label: `${humanizeName(kind)}, ${day(date)}`,
          })),
        ]}
      />
    </FormDialog>
  )
}
