import type { Sale } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** Cancels a sale, with the disposition of the deposits that were received. */
export function CancelSaleDialog({ sale, onClose }: { sale: Sale; onClose(): void }) {
  const { cents } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/sales/{saleId}/cancel', {
    onSuccess: ({ number }) => {
      showToast(`${number} canceled`)
      onClose()
    },
  })
  const isHeld = sale.depositsReceived > 0
  return (
    <FormDialog
      title={`Cancel ${sale.number}?`}
      size="narrow"
      word="Cancel sale"
      isDanger
      {...{ change, onClose }}
      onSubmit={(form) => {
        const disposition = readTextField(form, 'depositDisposition')
        change.mutate({
          params: { path: { saleId: sale.id } },
          body: {
            reason: readTextField(form, 'reason') ?? '',
            ...((disposition === 'refunded' || disposition === 'forfeited') && { depositDisposition: disposition }),
          },
        })
      }}
    >
      <TextField name="reason" label="Reason" autoFocus />
      {isHeld && (
        <SelectField
          name="depositDisposition"
          label={`Deposits of ${cents(sale.depositsReceived)}`}
          options={[
            { value: '', label: 'Choose one' },
            { value: 'refunded', label: 'Refund to the buyers' },
            { value: 'forfeited', label: 'Keep: the buyers forfeit the deposits' },
          ]}
        />
      )}
      <p className="muted">
        The home is available again. Deposits that are still due are canceled. This cannot be undone.
      </p>
    </FormDialog>
  )
}
