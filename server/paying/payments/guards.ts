import type { Payment, Vendor } from '../../../client/contract.gen.ts'
import type { Call } from '../../http/call.ts'
import { conflict, problem } from '../../http/problem.ts'
import { isRequired } from '../waiver-rule.ts'

/** What stands against a payment, and who may go ahead all the same. */
export interface Objection {
  /** In few words, for the status history. */
  title: string
  detail: string
  permission: 'pos:write' | 'vendors:write'
}

export function complianceObjections({ complianceStatus, companyName }: Vendor): Objection[] {
  if (complianceStatus !== 'expired') return []
  const detail = `The compliance of ${companyName} has expired.`
  return [{ title: 'Compliance expired', detail, permission: 'vendors:write' }]
}

/** A payment that brings money, to a vendor who has to waive its lien for it first. */
export async function waiverObjections(
  call: Call,
  { companyName }: Vendor,
  { id, number, amount, lienWaiverId }: Payment,
): Promise<Objection[]> {
  if (lienWaiverId !== null || amount <= 0 || !(await isRequired(call, id))) return []
  const detail = `${companyName} has not signed a lien waiver for ${number}.`
  return [{ title: 'Lien waiver missing', detail, permission: 'pos:write' }]
}

/**
 * Refuses what is objected to, unless a reason to go ahead is given by somebody who may decide about all of it. Returns
 * what the status history says about that; null where nothing was in the way.
 */
export function overridden(
  { permissions }: Call,
  objections: readonly Objection[],
  overrideReason: string | null,
): string | null {
  if (objections.length === 0) return null
  // Fifty orders may have one objection each, and the first few say enough.
  const details = objections.slice(0, 5).map(({ detail }) => detail)
  if (overrideReason === null)
    throw conflict('needs_override', `${details.join(' ')} Set overrideReason to go ahead all the same.`)
  const denied = objections.find(({ permission }) => !permissions.has(permission))
  if (denied !== undefined) {
    const { detail, permission } = denied
    throw problem('permission_denied', `${detail} Going ahead all the same needs ${permission}.`, { permission })
  }
  const titles = [...new Set(objections.map(({ title }) => title))]
  return `${titles.join(', ')}. Overridden: ${overrideReason}`
}
