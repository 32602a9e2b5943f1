import type { Permit } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const TYPES = (['building', 'electrical', 'plumbing', 'mechanical', 'site', 'other'] as const).map((value) => ({
  value,
  label: humanizeName(value),
}))

/**
 * Lets the user add a permit for which the builder has applied. If the user enters a date of issue, the permit is added
 * as issued.
 */
export function PermitForm({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/permits', {
    onSuccess: () => {
      showToast('Permit added')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add permit"
      size="narrow"
      word="Add permit"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const text = (name: string) => readTextField(form, name)
        const permitType = TYPES.find(({ value }) => value === text('permitType'))?.value ?? 'building'
        const [number, authority, issuedDate] = [text('number'), text('authority'), text('issuedDate')]
        const [appliedDate, feeAmount] = [text('appliedDate'), readNumberField(form, 'feeAmount')]
        change.mutate({
          body: {
            ...{ homeId, permitType },
            ...(number !== undefined && { number }),
            ...(authority !== undefined && { authority }),
            ...(appliedDate !== undefined && { appliedDate }),
            ...(issuedDate !== undefined && { issuedDate }),
            ...(feeAmount !== undefined && { feeAmount }),
          },
        })
      }}
    >
      <SelectField name="permitType" label="Type" options={TYPES} />
      <TextField name="authority" label="Authority" optional />
      <TextField name="appliedDate" label="Applied on" type="date" defaultValue={today()} max={today()} />
      <TextField
        name="issuedDate"
        label="Issued on"
        type="date"
        optional
        max={today()}
        hint="Leave empty until the authority issues the permit."
      />
      <TextField name="number" label="Number" optional />
      <TextField name="feeAmount" label="Fee" optional />
    </FormDialog>
  )
}

const MOVES: Readonly<Record<Permit['status'], readonly ('issued' | 'finaled' | 'void')[]>> = {
  applied: ['issued', 'void'],
  issued: ['finaled', 'issued', 'void'],
  expired: ['issued'],
  finaled: [],
  void: [],
}

/** Returns whether the authority can still change a permit with this status. */
export function canMovePermit({ status }: Permit): boolean {
  return MOVES[status].length > 0
}

/** Lets the user record that the authority issued, renewed, closed, or voided the permit. */
export function PermitStatusForm({ permit, onClose }: { permit: Permit; onClose(): void }) {
  const change = plumbline.useMutation('post', '/api/ext/permits/{permitId}/status', {
    onSuccess: ({ status }) => {
      showToast(`Permit ${humanizeName(status).toLowerCase()}`)
      onClose()
    },
  })
  const words = { issued: permit.status === 'applied' ? 'Issued' : 'Renewed', finaled: 'Finaled', void: 'Void' }
  const options = MOVES[permit.status].map((value) => ({ value, label: words[value] }))
  return (
    <FormDialog
      title={`${humanizeName(permit.permitType)} permit`}
      size="narrow"
      word="Change status"
      {...{ change, onClose }}
      of={permit}
      onSubmit={(form, header) => {
        const status = options.find(({ value }) => value === readTextField(form, 'status'))?.value
        const [number, date, reason] = [
          readTextField(form, 'number'),
          readTextField(form, 'date'),
          readTextField(form, 'reason'),
        ]
        if (status === undefined) return
        change.mutate({
          params: { path: { permitId: permit.id }, header },
          body: {
            status,
            ...(status === 'issued' && number !== undefined && { number }),
            ...(date !== undefined && { date }),
            ...(reason !== undefined && { reason }),
          },
        })
      }}
    >
      <SelectField name="status" label="Status" options={options} />
      <TextField name="date" label="Date" type="date" optional />
      <TextField name="number" label="Number" optional defaultValue={permit.number ?? ''} />
      <TextField name="reason" label="Reason" optional />
    </FormDialog>
  )
}
