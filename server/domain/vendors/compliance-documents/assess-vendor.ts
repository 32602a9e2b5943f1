import type { ComplianceDocument, Vendor } from '../../../../client/contract.gen.ts'
import { asSystem, type WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { assessCompliance, type ComplianceResult, statusOnDate } from './compliance-document.ts'
import * as documents from './queries.ts'

/**
 * Updates the compliance status of a locked vendor after a change of its documents.
 *
 * `vendors.complianceStatus` is stored, because lists filter by it and awards depend on it. It is written only here: in
 * the transaction of each change of a document, and as time passes. Both first bring the documents up to date with the
 * calendar, so that a change never hides that another document has expired.
 */
export async function assessAfterChange(call: WriteCall, vendor: Vendor): Promise<void> {
  const { judgement } = await expireAndAssess(call, vendor)
  await documents.storeDueDate(call, vendor, judgement)
  await storeResult(call, vendor, judgement)
}

/** Updates a vendor's compliance status because time has passed. Records no event if nothing visible has changed. */
export async function assessByCalendar(call: WriteCall, vendor: Vendor): Promise<void> {
  const { judgement, expired } = await expireAndAssess(call, vendor)
  await documents.storeDueDate(call, vendor, judgement)
  if (expired > 0 || judgement.status !== vendor.complianceStatus) await storeResult(call, vendor, judgement)
}

async function expireAndAssess(
  call: WriteCall,
  vendor: Vendor,
): Promise<{ judgement: ComplianceResult; expired: number }> {
  const today = dateIn(call.timeZone, call.now)
  const counted = await documents.listCountedDocuments(call, vendor.id)
  let expired = 0
  for (const document of counted) {
    if (statusOnDate(document.status, document.expirationDate, today) === document.status) continue
    await expireDocument(call, document)
    expired++
  }
  return { judgement: assessCompliance(counted, today), expired }
}

async function expireDocument(call: WriteCall, document: ComplianceDocument): Promise<void> {
  await documents.update(call, document, { status: 'expired' })
  await recordStatusChange(asSystem(call), { id: document.id, from: document.status, to: 'expired' })
}

async function storeResult(call: WriteCall, vendor: Vendor, judgement: ComplianceResult): Promise<void> {
  const judged = await documents.storeCompliance(call, vendor, judgement)
  await recordEvent(call, 'vendor.updated', judged, vendor)
}
