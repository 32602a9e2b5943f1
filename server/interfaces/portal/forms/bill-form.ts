import type { PortalOrder } from '../../../../client/contract.gen.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'
import { parseTypedNumber, type TypedNumberError } from '../../../platform/values/typed-number.ts'
import type { SentForm } from './form-body.ts'

/** The form with which a vendor bills an order. Amounts are as typed. */
export interface BillForm {
  invoiceNumber: string
  invoiceDate: string
  amount: string
  description: string
  /** Whether the vendor confirmed an amount that exceeds what is left to bill. */
  isSure: boolean
}

const MAX_NUMBER = 100
const MAX_DESCRIPTION = 500

export function readBillForm(fields: SentForm['fields']): BillForm {
  const field = (name: string, max: number) => (fields[name] ?? '').trim().slice(0, max)
  return {
    invoiceNumber: field('invoiceNumber', MAX_NUMBER),
    invoiceDate: field('invoiceDate', 10),
    amount: field('amount', 40),
    description: field('description', MAX_DESCRIPTION),
    isSure: fields.sure === 'yes',
  }
}

/** The amount of a bill; if it cannot be read, the error. `missing` is an empty amount or 0. */
export type BillAmount = { value: number; error: null } | { value: null; error: TypedNumberError | 'missing' }

export function readBillAmount(
  { amount }: Pick<BillForm, 'amount'>,
  { currency }: Pick<PortalOrder, 'currency'>,
): BillAmount {
  const { value, error } = parseTypedNumber(amount, {
    ...{ decimals: getMinorUnits(currency), isNegativeAllowed: false, currency },
  })
  if (error !== null) return { value: null, error }
  return value === null || value === 0 ? { value: null, error: 'missing' } : { value, error: null }
}

/** Returns whether the amount exceeds what is left to bill for the order, which the vendor must confirm. */
export function isMoreThanLeft(amount: number, { leftToBill }: Pick<PortalOrder, 'leftToBill'>): boolean {
  return amount > leftToBill
}
