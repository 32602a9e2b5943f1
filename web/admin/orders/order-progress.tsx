import { useState } from 'react'
import type { PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { formatTypedNumber } from '../../../server/platform/values/typed-number.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const STATUSES_WITH_PROGRESS: readonly PurchaseOrderStatus[] = [
  'issued',
  'accepted',
  'partially_completed',
  'completed',
]

/** Lets the user record the progress of each line. Completed work becomes payable. */
export function OrderProgress({ order }: { order: PurchaseOrder }) {
  const can = useCan()
  const [isOpen, setIsOpen] = useState(false)
  if (!can('pos:write') || !STATUSES_WITH_PROGRESS.includes(order.status)) return null
  return (
    <>
      <Button small onClick={() => setIsOpen(true)}>
        Record progress
      </Button>
      {isOpen && <ProgressDialog order={order} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function ProgressDialog({ order, onClose }: { order: PurchaseOrder; onClose(): void }) {
  const { cents } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/purchase-orders/{poId}/progress', {
    onSuccess: ({ number, completedAmount }) => {
      showToast(`Progress on ${number} recorded: ${cents(completedAmount)} completed`)
      onClose()
    },
  })
  const [changed, setChanged] = useState<readonly string[]>([])
  return (
    <FormDialog
      title={`Record progress on ${order.number}`}
      note="total completed per line"
      word="Record progress"
      isDisabled={changed.length === 0}
      {...{ change, onClose }}
      onSubmit={(form) => {
        const reason = readTextField(form, 'reason')
        change.mutate({
          params: { path: { poId: order.id } },
          body: {
            // Sends the lines in the order in which the user edited them, because the pointers of errors refer to this
            // order.
            lines: changed.map((lineId) => ({
              lineId,
              completedPercent: readNumberField(form, `done-${lineId}`) ?? 0,
            })),
            ...(reason !== undefined && { reason }),
          },
        })
      }}
    >
      {order.lines.map((line) => (
        <Field
          key={line.lineId}
          name={`done-${line.lineId}`}
          label={line.description}
          hint={`${formatQuantity(line.quantity)} ${line.unit}, ${cents(line.total)}`}
          pointer={`/lines/${changed.indexOf(line.lineId)}`}
        >
          {(control) => (
            <div className="input money">
              <input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                defaultValue={formatTypedNumber(line.completedPercent)}
                onChange={() => !changed.includes(line.lineId) && setChanged([...changed, line.lineId])}
              />
              <span className="affix">% done</span>
            </div>
          )}
        </Field>
      ))}
      <TextField name="reason" label="Reason" optional hint="Required if you lower a completed quantity." />
    </FormDialog>
  )
}
