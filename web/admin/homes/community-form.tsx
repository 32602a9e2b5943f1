import { plumbline } from '../../api/plumbline.ts'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Lets the user create a community. Its workdays are Monday to Friday until a user changes them. */
export function CommunityForm({ onClose }: { onClose(): void }) {
  const change = plumbline.useMutation('post', '/api/ext/communities', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} added`, { word: 'Open', to: `/communities/${id}` })
      onClose()
    },
  })
  return (
    <FormDialog
      title="New community"
      word="Add community"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          body: {
            ...{ name: readTextField(form, 'name') ?? '', code: readTextField(form, 'code') ?? null },
            ...{ city: readTextField(form, 'city') ?? null, state: readTextField(form, 'state') ?? null },
            ...{ lotCount: readNumberField(form, 'lotCount') ?? null, workdays: [1, 2, 3, 4, 5], holidays: [] },
            status: form.get('status') === 'planning' ? 'planning' : 'active',
          },
        })
      }
    >
      <div className="form-row">
        <TextField name="name" label="Name" autoFocus placeholder="Juniper Ridge" />
        <TextField name="code" label="Code" optional placeholder="JR" />
      </div>
      <div className="form-row">
        <TextField name="city" label="City" optional />
        <TextField name="state" label="State" optional />
        <TextField name="lotCount" label="Lots" type="number" min={0} optional />
      </div>
      <SelectField
        name="status"
        label="Status"
        options={[
          { value: 'active', label: 'Active' },
          { value: 'planning', label: 'Planned' },
        ]}
      />
    </FormDialog>
  )
}
