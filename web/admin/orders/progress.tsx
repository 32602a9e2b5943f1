import { useState } from 'react'
import type { PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { quantity } from '../../ui/figures.ts'
import { Field, TextField, typed, typedNumber } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFormats } from '../../ui/organization.ts'
import { say } from '../../ui/toast.tsx'

const CAN_PROGRESS: readonly PurchaseOrderStatus[] = ['issued', 'accepted', 'partially_completed', 'completed']

/** Records the progress of each line, which makes it payable. */
export function OrderProgress({ order }: { order: PurchaseOrder }) {
  const may = useMay()
  const [isOpen, setIsOpen] = useState(false)
  if (!may('pos:write') || !CAN_PROGRESS.includes(order.status)) return null
  return (
    <>
      <Button small onClick={() => setIsOpen(true)}>
        Record progress
      </Button>
      {isOpen && <Progress order={order} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function Progress({ order, onClose }: { order: PurchaseOrder; onClose(): void }) {
  const { cents } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/purchase-orders/{purchaseOrderId}/progress', {
    onSuccess: ({ number, completedAmount }) => {
      say(`Progress of ${number} recorded: ${cents(completedAmount)} completed`)
      onClose()
    },
  })
  const [changed, setChanged] = useState<readonly string[]>([])
  return (
    <FormDialog
      title={`Record progress of ${order.number}`}
      note="total completed per line"
      word="Record progress"
      isDisabled={changed.length === 0}
      {...{ change, onClose }}
      onSubmit={(form) => {
        const reason = typed(form, 'reason')
        change.mutate({
          params: { path: { purchaseOrderId: order.id } },
          body: {
            // The order in which the lines were edited, because the pointers of validation errors refer to it.
            lines: changed.map((lineId) => ({ lineId, completedPercent: typedNumber(form, `done-${lineId}`) ?? 0 })),
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
          hint={`${quantity(line.quantity)} ${line.unit}, ${cents(line.total)}`}
          pointer={`/lines/${changed.indexOf(line.lineId)}`}
        >
          {(control) => (
            <div className="input money">
              <input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                defaultValue={line.completedPercent}
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
