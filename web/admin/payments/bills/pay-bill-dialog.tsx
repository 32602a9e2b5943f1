import { useDeferredValue, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Bill, Payment, PaymentMethod } from '../../../../client/contract.gen.ts'
import { formatTypedNumber, parseTypedNumber } from '../../../../server/platform/values/typed-number.ts'
import { toErrorMessage } from '../../../api/error-message.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { useDryRun } from '../../../api/use-skill.ts'
import { Field, readNumberField, readTextField, SelectField, TextField } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { KeyValues } from '../../../ui/panel.tsx'
import { ChangeError } from '../../../ui/states.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useFormats } from '../../../ui/use-formats.ts'

const METHODS = ['check', 'ach', 'card', 'other'] satisfies PaymentMethod[]

/** Lets the user pay one bill, in full or in part. */
export function PayBillDialog({ bill, onClose }: { bill: Bill; onClose(): void }) {
  const navigate = useNavigate()
  const can = useCan()
  const { cents } = useFormats()
  const left = bill.openAmount - bill.reservedAmount
  const [text, setText] = useState(formatTypedNumber(left))
  const amount = useDeferredValue(parseTypedNumber(text).value)
  const trial = useDryRun(
    'createPayment',
    { billId: bill.id, ...(amount !== null && { amount }) },
    { enabled: can('skills:write') && amount !== null },
  )
  const create = plumbline.useMutation('post', '/api/ext/payments', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} created`)
      void navigate(`/payments/${id}`)
    },
  })
  const error = create.error ?? trial.error
  const isOverridable = error !== null && toErrorMessage(error).problem?.reason === 'needs_override'
  const payment = trial.data?.result as Payment | undefined
  return (
    <FormDialog
      title={`Pay ${bill.number}?`}
      note={`${cents(left)} is open.`}
      size="narrow"
      word="Create payment"
      change={create}
      isDisabled={amount === null}
      onSubmit={(form) => {
        const sent = readNumberField(form, 'amount')
        const overrideReason = readTextField(form, 'overrideReason')
        create.mutate({
          body: {
            billId: bill.id,
            ...(sent !== undefined && { amount: sent }),
            method: METHODS.find((one) => one === form.get('method')) ?? 'check',
            ...(overrideReason !== undefined && { overrideReason }),
          },
        })
      }}
      onClose={onClose}
    >
      {create.error === null && <ChangeError error={trial.error} />}
      <Field
        name="amount"
        label="Amount"
        hint="After retainage. Enter a smaller amount to pay only a part of the bill."
      >
        {(control) => (
          <input
            {...control}
            className="input num"
            inputMode="decimal"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <SelectField
        name="method"
        label="Method"
        options={METHODS.map((value) => ({ value, label: humanizeName(value) }))}
      />
      {isOverridable && (
        <TextField
          name="overrideReason"
          label="Reason for override"
          hint="Recorded in the history. Requires permission to override."
        />
      )}
      {payment !== undefined && trial.error === null && (
        <KeyValues
          facts={[
            ['Payment', cents(payment.amount)],
            ['Open afterward', cents(left - payment.amount)],
          ]}
        />
      )}
    </FormDialog>
  )
}
