import type { ComplianceDocument, OnboardVendorResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { humanizeValue } from '../../../platform/values/format.ts'
import { withPointer } from '../frame/attempt.ts'

/**
 * The documents that builders require before a vendor may work on a site: insurance of both kinds, the tax form, and
 * the agreement.
 */
const REQUIRED_DOCUMENTS = ['general_liability', 'workers_comp', 'w9', 'agreement'] as const

type ChecklistItem = OnboardVendorResult['checklist'][number]

export async function onboardVendor(input: Checked['OnboardVendorInput'], call: Call): Promise<OnboardVendorResult> {
  const { id: vendorId } = await call.operation('createVendor', {
    ...input.vendor,
    createScopes: input.createScopes,
  })
  const documents: ComplianceDocument[] = []
  for (const [i, document] of input.documents.entries())
    documents.push(
      await withPointer(`/documents/${i}`, () => call.operation('addComplianceDocument', { vendorId, ...document })),
    )
  const isInvited = input.invite && input.vendor.email != null
  const invited = isInvited ? await call.operation('inviteVendor', { vendorId }) : null
  const vendor = await call.operation('getVendor', { vendorId })
  const checklist: ChecklistItem[] = [
    toChecklistItem('email', vendor.email !== null, 'an email address'),
    toChecklistItem('phone', vendor.phone !== null, 'a phone number'),
    toChecklistItem('scopes', vendor.scopes.length > 0, 'a trade'),
    toChecklistItem('accounting_id', vendor.accountingId !== null, 'an accounting ID'),
    toChecklistItem('portal', invited !== null, 'an invitation to the portal'),
    ...REQUIRED_DOCUMENTS.map((type) => toDocumentItem(type, documents)),
  ]
  return {
    ...{ vendor, documentIds: documents.map(({ id }) => id), checklist },
    missing: checklist.filter(({ isThere }) => !isThere).length,
  }
}

function toChecklistItem(name: string, isThere: boolean, noun: string): ChecklistItem {
  return { item: name, isThere, detail: isThere ? `The vendor has ${noun}.` : `The vendor is missing ${noun}.` }
}

/** A document that awaits review is present but does not count for compliance yet. */
function toDocumentItem(
  type: (typeof REQUIRED_DOCUMENTS)[number],
  documents: readonly ComplianceDocument[],
): ChecklistItem {
  const found = documents.find((document) => document.type === type)
  const isThere = found !== undefined && found.status !== 'expired' && found.status !== 'rejected'
  const words = type.replaceAll('_', ' ')
  return {
    item: type,
    isThere,
    detail:
      found === undefined
        ? `No ${words} has been received.`
        : `The status of the ${words} is ${humanizeValue(found.status)}.`,
  }
}
