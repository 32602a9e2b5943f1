import type { ComplianceDocument } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import * as vendors from '../vendors/queries.ts'
import { assessAfterChange } from './assess-vendor.ts'
import { assertValidPeriod, newDocument } from './compliance-document.ts'
import * as documents from './queries.ts'

/**
 * Adds a document under its vendor's lock and updates the vendor's compliance status. Calls `assertStorageLeft` under the
 * lock, which may throw.
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
  const added = await documents.insert(call, newDocument(body, vendor.id, dateIn(call.timeZone, call.now)))
  await recordStatusChange(call, { id: added.id, from: null, to: added.status })
  await assessAfterChange(call, vendor)
  return added
}
