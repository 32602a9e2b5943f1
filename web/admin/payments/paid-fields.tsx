import { useId } from 'react'
import type { Payment } from '../../../client/contract.gen.ts'
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
  onChange(paid: PaidInput): void
}) {
  const { payment, paid, isRefused, onChange } = props
  const id = useId()
  const { today } = useFormats()
  const input = (name: keyof PaidInput, type: 'text' | 'date', more: { max?: string; maxLength?: number } = {}) => (
    <input
      className="input"
      id={`${id}-${name}`}
      {...{ type, ...more }}
      value={paid[name]}
      onChange={(event) => onChange({ ...paid, [name]: event.target.value })}
    />
  )
  return (
    <>
      <div className="form-row">
        <div className="field">
          <label htmlFor={`${id}-paidDate`}>Paid on</label>
          {input('paidDate', 'date', { max: today() })}
        </div>
        {payment.method === 'check' && (
          <div className="field">
            <label htmlFor={`${id}-checkNumber`}>
              Check number <span className="faint">optional</span>
            </label>
            {input('checkNumber', 'text', { maxLength: 40 })}
          </div>
        )}
      </div>
      {(isRefused || paid.overrideReason !== '') && (
        <div className="field">
          <label htmlFor={`${id}-overrideReason`}>Reason for override</label>
          {input('overrideReason', 'text', { maxLength: 400 })}
          <span className="hint">Recorded in the history. Requires permission to override.</span>
        </div>
      )}
    </>
  )
}
