import type { ComplianceDocument, Vendor } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as vendors from '../vendors/queries.ts'
import { addDocument } from './add-document.ts'
import { reassessVendorAfterChange } from './assess-vendor.ts'
import { assertValidPeriod, computeStatusOnDate, DOCUMENT_MOVES } from './compliance-document.ts'
import * as documents from './queries.ts'

export const complianceDocumentOperations = {
  async listComplianceDocuments({ path, query }, call) {
    const { id } = await vendors.find(call, path.vendorId)
    return { status: 200, body: await documents.list(call, query, { vendorId: id }) }
  },

  async addComplianceDocument({ path, body }, call) {
    return { status: 201, body: await call.write((call) => addDocument(call, path.vendorId, body)) }
  },

  async getComplianceDocument({ path }, call) {
    return { status: 200, body: await documents.find(call, path.complianceDocumentId) }
  },

  async updateComplianceDocument({ path, body, ifMatch }, call) {
    const document = await changeDocument(call, path.complianceDocumentId, async (call, before) => {
      assertValidPeriod({ ...before, ...body })
      const expirationDate = body.expirationDate === undefined ? before.expirationDate : body.expirationDate
      const status = computeStatusOnDate(before.status, expirationDate, toLocalDate(call.timeZone, call.now))
      const after = await documents.update(call, before, { ...body, status }, ifMatch)
      if (status !== before.status) await recordStatusChange(call, { id: before.id, from: before.status, to: status })
      return after
    })
    return { status: 200, body: document }
  },

  async removeComplianceDocument({ path, ifMatch }, call) {
    await changeDocument(call, path.complianceDocumentId, (call, before) => documents.archive(call, before, ifMatch))
    return { status: 204 }
  },

  async changeComplianceDocumentStatus({ path, body }, call) {
    const document = await changeDocument(call, path.complianceDocumentId, async (call, before) => {
      if (before.archivedAt !== null)
        throw conflict(
          'archived',
          'Cannot change the status of the compliance document: it has been removed. Add a new one instead.',
        )
      assertTransition(DOCUMENT_MOVES, before.status, body.status)
      const status = computeStatusOnDate(body.status, before.expirationDate, toLocalDate(call.timeZone, call.now))
      await recordStatusChange(call, { id: before.id, from: before.status, to: status, reason: body.reason })
      return documents.update(call, before, { status })
    })
    return { status: 200, body: document }
  },
} satisfies Partial<Handlers>

/** Changes a document while holding the lock of its vendor. If anything changed, updates the vendor's status. */
async function changeDocument(
  call: Call,
  id: string,
  work: (call: WriteCall, before: ComplianceDocument) => Promise<ComplianceDocument>,
): Promise<ComplianceDocument> {
  return call.write(async (call) => {
    // Read the vendor ID without a lock, because it never changes, and then lock the vendor first.
    const { vendorId } = await documents.find(call, id)
    const vendor: Vendor = await vendors.lock(call, vendorId)
    const before = await documents.lock(call, id)
    const after = await work(call, before)
    if (after.version !== before.version) await reassessVendorAfterChange(call, vendor)
    return after
  })
}
