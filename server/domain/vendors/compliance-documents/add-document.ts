import type { ComplianceDocument } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as vendors from '../vendors/queries.ts'
import { reassessVendorAfterChange } from './assess-vendor.ts'
import { assertValidPeriod, buildDocument } from './compliance-document.ts'
import * as documents from './queries.ts'

/**
 * Adds a document and updates the vendor's compliance status. Holds the lock of the vendor, also while it calls
 * `assertStorageLeft`, which may throw.
 */
export async function addDocument(
  call: WriteCall,
  vendorId: string,
  body: Checked['ComplianceDocumentCreate'],
  assertRoom?: () => Promise<void>,
): Promise<ComplianceDocument> {
  assertValidPeriod(body)
  const vendor = await vendors.lock(call, vendorId)
  if (vendor.archivedAt !== null)
    throw conflict('vendor_archived', `Cannot add a compliance document: ${vendor.companyName} is archived.`)
  await assertRoom?.()
  const added = await documents.insert(call, buildDocument(body, vendor.id, toLocalDate(call.timeZone, call.now)))
  await recordStatusChange(call, { id: added.id, from: null, to: added.status })
  await reassessVendorAfterChange(call, vendor)
  return added
}
