import type { Payment, Vendor } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict, problem } from '../../../platform/problems/problem.ts'
import { isWaiverRequired } from '../waiver-rule.ts'

/** A reason not to pay, and the permission to override it. */
export interface PaymentObjection {
  /** A short phrase for the status history. */
  title: string
  detail: string
  /** The usual remedy, to be tried before an override. */
  remedy?: string
  permission: 'pos:write' | 'vendors:write'
}

export function findComplianceObjections({ complianceStatus, companyName }: Vendor): PaymentObjection[] {
  if (complianceStatus !== 'expired') return []
  const detail = `The compliance documents of ${companyName} have expired.`
  const remedy = 'Add a current document with addComplianceDocument.'
  return [{ title: 'Compliance expired', detail, remedy, permission: 'vendors:write' }]
}

/** Returns the objections to a payment to a vendor that must sign a lien waiver first. */
export async function findWaiverObjections(
  call: Call,
  { companyName }: Vendor,
  { id, number, amount, lienWaiverId }: Payment,
): Promise<PaymentObjection[]> {
  if (lienWaiverId !== null || amount <= 0 || !(await isWaiverRequired(call, id))) return []
  const detail = `${companyName} has not signed a lien waiver for ${number}.`
  const remedy = 'Request one with requestLienWaiver.'
  return [{ title: 'Lien waiver missing', detail, remedy, permission: 'pos:write' }]
}

const OVERRIDE_REMEDY = 'To proceed anyway, set overrideReason.'

/**
 * Throws for the objections, unless the caller may override all of them and gives a reason. Returns the text for the
 * status history; null if there are no objections.
 */
export function requireOverride(
  { permissions }: Call,
  objections: readonly PaymentObjection[],
  overrideReason: string | null,
): string | null {
  if (objections.length === 0) return null
  // Fifty orders may have one objection each, and the first few say enough.
  const some = objections.slice(0, 5)
  const remedies = new Set(some.flatMap(({ remedy }) => remedy ?? []))
  const said = [...some.map(({ detail }) => detail), ...remedies, OVERRIDE_REMEDY]
  if (overrideReason === null) throw conflict('needs_override', said.join(' '))
  const denied = objections.find(({ permission }) => !permissions.has(permission))
  if (denied !== undefined) {
    const { detail, permission } = denied
    throw problem('permission_denied', `${detail} Overriding this requires ${permission}.`, { permission })
  }
  const titles = [...new Set(objections.map(({ title }) => title))]
  return `${titles.join(', ')}. Overridden: ${overrideReason}`
}
