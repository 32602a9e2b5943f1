import { useState } from 'react'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The page size limit of one request. A builder has fewer trades. */
const MAX_SCOPES = 200

/** Adds a line to the budget of a home. */
export function AddBudgetLine({ homeId, isLocked }: { homeId: string; isLocked: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button small icon="plus" onClick={() => setIsOpen(true)}>
        Add line
      </Button>
      {isOpen && <BudgetLineDialog {...{ homeId, isLocked }} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function BudgetLineDialog({ homeId, isLocked, onClose }: { homeId: string; isLocked: boolean; onClose(): void }) {
  const { money } = useFormats()
  const scopes = useListPage('/api/ext/scopes', { limit: MAX_SCOPES, sort: 'sequence' })
  const change = plumbline.useMutation('post', '/api/ext/homes/{homeId}/budget/lines', {
    onSuccess: ({ scope, budgeted }) => {
      showToast(`${humanizeName(scope)} line added, ${money(budgeted)}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add budget line"
      note={isLocked ? 'counts as an approved change' : 'counts toward the original budget'}
      word="Add line"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const amount = readNumberField(form, 'amount')
        const description = readTextField(form, 'description')
        change.mutate({
          params: { path: { homeId } },
          body: {
            scope: readTextField(form, 'scope') ?? '',
            ...(description !== undefined && { description }),
            ...(amount !== undefined && { amount }),
          },
        })
      }}
    >
      <SelectField
        name="scope"
        label="Trade"
        options={[
          { value: '', label: 'Choose one' },
          ...(scopes.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
        ]}
      />
      <TextField name="description" label="Description" optional placeholder="Temporary power" />
      <TextField name="amount" label="Amount" placeholder="2,000.00" />
    </FormDialog>
  )
}
