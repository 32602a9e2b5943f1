import type {
  AttachmentContent,
  ComplianceDocument,
  PortalAttachment,
  PortalComplianceDocument,
  PortalComplianceDocumentInput,
} from '../../../client/contract.gen.ts'
import { attachFile } from '../../domain/attachments/attach.ts'
import { add } from '../../domain/vendors/compliance-documents/add.ts'
import * as documents from '../../domain/vendors/compliance-documents/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { Arrived } from '../../platform/calls/upload.ts'
import { conflict, notFound } from '../../platform/problems/problem.ts'
import { countUnreviewed } from './order-queries.ts'

/** How a vendor submits its insurance certificates and licenses for the builder's review. */

/** A user has to review each of them. */
const MOST_UNREVIEWED = 20
/** A certificate is one file, or a few photographs. */
const MOST_FILES = 5

export async function handInDocument(
  call: Call,
  body: PortalComplianceDocumentInput,
): Promise<PortalComplianceDocument> {
  const { id: vendorId, subjectId } = call.principal
  if (vendorId === null || subjectId !== vendorId) throw notFound()
  return call.write(async (call) => {
    const document = { ...body, status: 'pending_review' as const, additionalInsured: false }
    // The document is added under the lock of its vendor, so concurrent submissions are counted one after the other.
    const added = await add(call, vendorId, document, async () => {
      if ((await countUnreviewed(call, vendorId)) >= MOST_UNREVIEWED)
        throw conflict(
          'limit_reached',
          `You already have ${MOST_UNREVIEWED} documents awaiting review. Ask the builder to review them first.`,
        )
    })
    return shown(added)
  })
}

export async function handInFile(
  call: Call,
  { complianceDocumentId, fileName }: { complianceDocumentId: string; fileName: string },
  file: AttachmentContent | Arrived,
): Promise<PortalAttachment> {
  const { principal } = call
  const document = await documents.findOptional(call, complianceDocumentId)
  const isShown = principal.subjectId === principal.id && document?.vendorId === principal.id
  if (document === undefined || !isShown || document.archivedAt !== null) throw notFound()
  if (document.status !== 'pending_review')
    throw conflict('wrong_status', 'This document has already been reviewed. Upload a new document instead.')
  const made = await attachFile(call, { recordId: document.id, fileName }, file, MOST_FILES)
  const { id, contentType, size, sha256, createdAt } = made
  return { id, fileName: made.fileName, contentType, size, sha256, from: 'vendor', createdAt }
}

function shown(document: ComplianceDocument): PortalComplianceDocument {
  const { id, type, status, carrier, policyNumber, effectiveDate, expirationDate, limitAmount } = document
  return { id, type, status, carrier, policyNumber, effectiveDate, expirationDate, limitAmount, fileNames: [] }
}
