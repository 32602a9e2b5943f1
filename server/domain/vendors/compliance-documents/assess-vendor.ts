import type { ComplianceDocument, Vendor } from '../../../../client/contract.gen.ts'
import { toSystemCall, type WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { assessCompliance, type ComplianceResult, computeStatusOnDate } from './compliance-document.ts'
import * as documents from './queries.ts'

/**
 * Updates the compliance status of a locked vendor after one of its documents changes.
 *
 * The status is stored in `vendors.complianceStatus`, because lists filter by it and awards depend on it. Only the two
 * functions in this file write the column: one after each change of a document, in the same transaction, and the other
 * when a date has passed. Both functions first expire documents as of the current date, so that every new status
 * considers all expired documents.
 */
export async function reassessVendorAfterChange(call: WriteCall, vendor: Vendor): Promise<void> {
  const { judgement } = await expireAndAssess(call, vendor)
  await documents.storeDueDate(call, vendor, judgement)
  await storeResult(call, vendor, judgement)
}

/** Updates a vendor's compliance status when a date has passed. Records no event if no visible field changes. */
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
