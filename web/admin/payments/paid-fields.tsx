import type { Payment } from '../../../client/contract.gen.ts'
import { Field } from '../../ui/form.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The date and method of a payment, and the reason for overriding a rule that blocks it. */
export interface PaidInput {
  paidDate: string
  checkNumber: string
  overrideReason: string
}

/** Returns the fields to send, without empty ones. */
export function buildPaidFields({ paidDate, checkNumber, overrideReason }: PaidInput) {
  const [check, override] = [checkNumber.trim(), overrideReason.trim()]
  return {
    ...(paidDate !== '' && { paidDate }),
    ...(check !== '' && { checkNumber: check }),
    ...(override !== '' && { overrideReason: override }),
  }
}

export function PaidFields(props: {
  payment: Payment
  paid: PaidInput
  /** Whether a rule blocks the payment, so that a reason is required. */
  isRefused: boolean
  onChange(changed: Partial<PaidInput>): void
}) {
  const { payment, paid, isRefused, onChange } = props
  const { today } = useFormats()
  const bind = (name: keyof PaidInput) => ({
    className: 'input',
    value: paid[name],
    onChange: ({ target }: { target: HTMLInputElement }) => onChange({ [name]: target.value }),
  })
  return (
    <>
      <div className="form-row">
        <Field name="paidDate" label="Paid on">
          {(control) => <input {...control} {...bind('paidDate')} type="date" max={today()} />}
        </Field>
        {payment.method === 'check' && (
          <Field name="checkNumber" label="Check number" optional>
            {(control) => <input {...control} {...bind('checkNumber')} autoComplete="off" maxLength={40} />}
          </Field>
        )}
      </div>
      {(isRefused || paid.overrideReason !== '') && (
        <Field
          name="overrideReason"
          label="Reason for override"
          hint="Recorded in the history. Requires permission to override."
        >
          {(control) => <input {...control} {...bind('overrideReason')} autoComplete="off" maxLength={400} />}
        </Field>
      )}
    </>
  )
}
