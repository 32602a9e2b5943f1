import type {
  AttachmentContent,
  ComplianceDocument,
  PortalAttachment,
  PortalComplianceDocument,
  PortalComplianceDocumentInput,
} from '../../../client/contract.gen.ts'
import { attachFile } from '../../domain/attachments/attach-file.ts'
import { addDocument } from '../../domain/vendors/compliance-documents/add-document.ts'
import * as documents from '../../domain/vendors/compliance-documents/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { conflict, notFound } from '../../platform/problems/problem.ts'
import { countUnreviewedDocuments } from './order-queries.ts'

/** Vendors submit insurance certificates and licenses, which the builder reviews. */

/** The maximum number of unreviewed documents. A user must review each of them. */
const MAX_UNREVIEWED = 20
/** The maximum number of files of a document. A certificate is one file or a few photos. */
const MAX_FILES = 5

export async function submitDocument(
  call: Call,
  body: PortalComplianceDocumentInput,
): Promise<PortalComplianceDocument> {
  const { id: vendorId, subjectId } = call.principal
  if (vendorId === null || subjectId !== vendorId) throw notFound()
  return call.write(async (call) => {
    const document = { ...body, status: 'pending_review' as const, additionalInsured: false }
    // The vendor is locked while the document is added, so that concurrent submissions are counted one after another.
    const added = await addDocument(call, vendorId, document, async () => {
      if ((await countUnreviewedDocuments(call, vendorId)) >= MAX_UNREVIEWED)
        throw conflict(
          'limit_reached',
          `You already have ${MAX_UNREVIEWED} documents awaiting review. Ask the builder to review them first.`,
        )
    })
    return toPortalComplianceDocument(added)
  })
}

export async function uploadDocumentFile(
  call: Call,
  { complianceDocumentId, fileName }: { complianceDocumentId: string; fileName: string },
  file: AttachmentContent | ReceivedFile,
): Promise<PortalAttachment> {
  const { principal } = call
  const document = await documents.findOptional(call, complianceDocumentId)
  const isShown = principal.subjectId === principal.id && document?.vendorId === principal.id
  if (document === undefined || !isShown || document.archivedAt !== null) throw notFound()
  if (document.status !== 'pending_review')
    throw conflict('wrong_status', 'This document has already been reviewed. Upload a new document instead.')
  const created = await attachFile(call, { recordId: document.id, fileName }, file, { max: MAX_FILES })
  const { id, contentType, size, sha256, createdAt } = created
  return { id, fileName: created.fileName, contentType, size, sha256, from: 'vendor', createdAt }
}

function toPortalComplianceDocument(document: ComplianceDocument): PortalComplianceDocument {
  const { id, type, status, carrier, policyNumber, effectiveDate, expirationDate, limitAmount } = document
  return { id, type, status, carrier, policyNumber, effectiveDate, expirationDate, limitAmount, fileNames: [] }
}
