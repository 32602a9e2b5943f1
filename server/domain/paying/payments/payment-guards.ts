import type { Payment, Vendor } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, problem } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { toInvoiceKey } from '../bill-records/invoice-key.ts'
import { findRecordedInvoice } from '../bill-records/queries.ts'
import { isWaiverRequired } from '../waiver-rule.ts'
import { findWaiverAmount } from './queries.ts'

/** A reason not to make a payment, and the permission that is required to override it. */
export interface PaymentObjection {
  /** A short phrase for the status history. */
  title: string
  detail: string
  /** The usual remedy, which the error recommends before an override. */
  remedy?: string
  permission: 'pos:write' | 'vendors:write'
  /** The record that causes the objection. */
  conflictingId?: string
}

export function findComplianceObjections({ complianceStatus, companyName }: Vendor): PaymentObjection[] {
  if (complianceStatus !== 'expired') return []
  const detail = `The compliance documents of ${companyName} have expired.`
  const remedy = 'Add a current document with addComplianceDocument.'
  return [{ title: 'Compliance expired', detail, remedy, permission: 'vendors:write' }]
}

/** Returns an objection if the vendor must first sign a lien waiver for the amount of the payment. */
export async function findWaiverObjections(
  call: Call,
  { companyName }: Vendor,
  { id, number, lienWaiverId, currency }: Payment,
  amount: number,
): Promise<PaymentObjection[]> {
  if (amount <= 0) return []
  const permission = 'pos:write'
  if (lienWaiverId !== null) {
    const named = await findWaiverAmount(call, lienWaiverId)
    if (named === undefined || named === amount) return []
    const [signed, paid] = [named, amount].map((value) => formatAmount(value, currency))
    const detail = `The signed lien waiver is for ${signed}, but the payment is ${paid}.`
    const remedy = 'Request a new lien waiver with requestLienWaiver.'
    return [{ title: 'Lien waiver for a different amount', detail, remedy, permission, conflictingId: lienWaiverId }]
  }
  if (!(await isWaiverRequired(call, id))) return []
  const detail = `${companyName} has not signed a lien waiver for ${number}.`
  const remedy = 'Request one with requestLienWaiver.'
  return [{ title: 'Lien waiver missing', detail, remedy, permission }]
}

/**
 * Returns an objection if another bill or payment of the vendor already has the invoice number. Ignores the bills in
 * `except`.
 */
export async function findInvoiceObjections(
  call: Call,
  { id: vendorId, companyName }: Vendor,
  invoiceNumber: string | null,
  except: { bills: readonly string[]; withPayments: boolean } = { bills: [], withPayments: false },
): Promise<PaymentObjection[]> {
  if (invoiceNumber === null) return []
  const other = await findRecordedInvoice(call, vendorId, toInvoiceKey(invoiceNumber), except)
  if (other === undefined) return []
  const detail = `Invoice ${invoiceNumber} from ${companyName} is already recorded as ${other.number}.`
  return [{ title: 'Invoice already recorded', detail, permission: 'pos:write', conflictingId: other.id }]
}

const OVERRIDE_REMEDY = 'To proceed anyway, set overrideReason.'

/**
 * Throws if there are objections, unless the caller has the permissions to override all of them and states a reason.
 * Returns the text for the status history; null if there are no objections.
 */
export function requireOverride(
  { permissions }: Call,
  objections: readonly PaymentObjection[],
  overrideReason: string | null,
): string | null {
  if (objections.length === 0) return null
  // A payment of fifty orders can have fifty objections. The first five are enough to report.
  const some = objections.slice(0, 5)
  const remedies = new Set(some.flatMap(({ remedy }) => remedy ?? []))
  const said = [...some.map(({ detail }) => detail), ...remedies, OVERRIDE_REMEDY]
  const { conflictingId } = objections.find((objection) => objection.conflictingId !== undefined) ?? {}
  if (overrideReason === null)
    throw conflict('needs_override', said.join(' '), conflictingId === undefined ? {} : { conflictingId })
  const denied = objections.find(({ permission }) => !permissions.has(permission))
  if (denied !== undefined) {
    const { detail, permission } = denied
    throw problem('permission_denied', `${detail} Overriding this requires ${permission}.`, { permission })
  }
  const titles = [...new Set(objections.map(({ title }) => title))]
  return `${titles.join(', ')}. Overridden: ${overrideReason}`
}
