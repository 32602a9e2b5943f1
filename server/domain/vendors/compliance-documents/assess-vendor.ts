import type { ComplianceDocument, Vendor } from '../../../../client/contract.gen.ts'
import { toSystemCall, type WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { assessCompliance, type ComplianceResult, computeStatusOnDate } from './compliance-document.ts'
import * as documents from './queries.ts'

/**
 * Updates the compliance status of a locked vendor after a change of its documents.
 *
 * `vendors.complianceStatus` is stored, because lists filter by it and awards depend on it. Only these functions write
 * the column: in the transaction of each change of a document, and as time passes. Both functions first update the
 * documents to the current date, so that a change never hides that another document has expired.
 */
export async function reassessVendorAfterChange(call: WriteCall, vendor: Vendor): Promise<void> {
  const { judgement } = await expireAndAssess(call, vendor)
  await documents.storeDueDate(call, vendor, judgement)
  await storeResult(call, vendor, judgement)
}

/** Updates a vendor's compliance status as time passes. Records no event if nothing visible has changed. */
export async function reassessVendorByDate(call: WriteCall, vendor: Vendor): Promise<void> {
  const { judgement, expired } = await expireAndAssess(call, vendor)
  await documents.storeDueDate(call, vendor, judgement)
  if (expired > 0 || judgement.status !== vendor.complianceStatus) await storeResult(call, vendor, judgement)
}

async function expireAndAssess(
  call: WriteCall,
  vendor: Vendor,
): Promise<{ judgement: ComplianceResult; expired: number }> {
  const today = toLocalDate(call.timeZone, call.now)
  const counted = await documents.listCountedDocuments(call, vendor.id)
  let expired = 0
  for (const document of counted) {
    if (computeStatusOnDate(document.status, document.expirationDate, today) === document.status) continue
    await expireDocument(call, document)
    expired++
  }
  return { judgement: assessCompliance(counted, today), expired }
}

async function expireDocument(call: WriteCall, document: ComplianceDocument): Promise<void> {
  await documents.update(call, document, { status: 'expired' })
  await recordStatusChange(toSystemCall(call), { id: document.id, from: document.status, to: 'expired' })
}

async function storeResult(call: WriteCall, vendor: Vendor, judgement: ComplianceResult): Promise<void> {
  const judged = await documents.storeCompliance(call, vendor, judgement)
  await recordEvent(call, 'vendor.updated', judged, vendor)
}
