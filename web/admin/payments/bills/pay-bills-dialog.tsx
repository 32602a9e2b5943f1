import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Bill, Payment, PaymentMethod } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { useDryRun } from '../../../api/use-skill.ts'
import { SelectField } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { RecordName } from '../../../ui/record-name.tsx'
import { ChangeError, SkeletonLines } from '../../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../../ui/table.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { showToast } from '../../../ui/toast.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { SkippedOrders } from '../skipped-orders.tsx'

const METHODS = ['check', 'ach', 'card', 'other'] satisfies PaymentMethod[]

/**
 * Lets the user pay the chosen bills with a payment run. First, a dry run shows the payments and why bills are skipped.
 */
export function PayBillsDialog({ bills, onClose }: { bills: readonly Bill[]; onClose(): void }) {
  const navigate = useNavigate()
  const can = useCan()
  const { cents, day } = useFormats()
  const [method, setMethod] = useState<PaymentMethod>('check')
  const body = { billIds: bills.map(({ id }) => id), method }
  const canTry = can('skills:write')
  const trial = useDryRun('createPaymentRun', body, { enabled: canTry })
  const create = plumbline.useMutation('post', '/api/ext/payment-runs', {
    onSuccess: ({ id, number, paymentIds }) => {
      showToast(`${number} created with ${formatCount(paymentIds.length, 'payment')}`)
      void navigate(`/payments/runs/${id}`)
    },
  })
  const result = trial.data?.result
  const payments = trial.data?.events.flatMap(({ type, data }) =>
    type === 'payment.created' ? [data.object as Payment] : [],
  )
  const columns: readonly Column<Payment>[] = [
    { head: 'Vendor', cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} /> },
    {
      head: 'Bills',
      cell: ({ allocations }) =>
        [...new Set(allocations.map(({ billId }) => billId))].map((billId, at) => (
          <span key={billId}>
            {at > 0 && ', '}
            {billId === null ? <EmptyCell word="credit" /> : <RecordName of="bill" id={billId} isPlain />}
          </span>
        )),
    },
    {
      head: 'Discount',
      numeric: true,
      cell: ({ discountAmount, discountDueDate }) => (
        <>
          {cents(discountAmount)}
          {discountDueDate !== null && <span className="sub">by {day(discountDueDate)}</span>}
        </>
      ),
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount) },
  ]
  return (
    <FormDialog
      title={`Pay ${formatCount(bills.length, 'bill')}?`}
      note={canTry ? 'This is a preview. Nothing has been changed yet.' : undefined}
      size="wide"
      word={payments === undefined ? 'Create payments' : `Create ${formatCount(payments.length, 'payment')}`}
      change={create}
      isDisabled={trial.isFetching || payments?.length === 0}
      onSubmit={() => create.mutate({ body })}
      onClose={onClose}
    >
      <SelectField
        name="method"
        label="Method"
        value={method}
        onChange={(value) => setMethod(METHODS.find((one) => one === value) ?? 'check')}
        options={METHODS.map((value) => ({ value, label: humanizeName(value) }))}
      />
      <ChangeError error={trial.error} />
      {canTry && payments === undefined && trial.error === null && <SkeletonLines lines={3} />}
      {payments !== undefined && payments.length > 0 && (
        <div className="table-wrap">
          <Table caption="Payments to create" columns={columns} rows={payments} keyOf={({ id }) => id} />
        </div>
      )}
      {result !== undefined && result.skipped.length > 0 && (
        <>
          <h3>Not paid as chosen</h3>
          <SkippedOrders skips={result.skipped} />
        </>
      )}
      <p className="small muted">
        One payment per vendor is created, less the open credits of the vendor. Approve each payment, and mark it as
        paid after the money has been sent.
      </p>
    </FormDialog>
  )
}
