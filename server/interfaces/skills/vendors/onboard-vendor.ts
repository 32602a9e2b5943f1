import type { ComplianceDocument, OnboardVendorResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { humanizeValue } from '../../../platform/values/format.ts'
import { runWithPointer } from '../frame/attempt-task.ts'

/**
 * The documents that builders require before a vendor may work on a site: two kinds of insurance certificate, the tax
 * form, and the agreement.
 */
const REQUIRED_DOCUMENTS = ['general_liability', 'workers_comp', 'w9', 'agreement'] as const

const DOCUMENT_LABELS: Readonly<Record<(typeof REQUIRED_DOCUMENTS)[number], string>> = {
  general_liability: 'certificate of general liability insurance',
  workers_comp: "certificate of workers' compensation insurance",
  w9: 'Form W-9',
  agreement: 'vendor agreement',
}

type ChecklistItem = OnboardVendorResult['checklist'][number]

export async function onboardVendor(input: Checked['OnboardVendorInput'], call: Call): Promise<OnboardVendorResult> {
  const { id: vendorId } = await call.operation('createVendor', {
    ...input.vendor,
    createScopes: input.createScopes,
  })
  const documents: ComplianceDocument[] = []
  for (const [i, document] of input.documents.entries())
    documents.push(
      await runWithPointer(`/documents/${i}`, () => call.operation('addComplianceDocument', { vendorId, ...document })),
    )
  const isInvited = input.invite && input.vendor.email != null
  const invited = isInvited ? await call.operation('inviteVendor', { vendorId }) : null
  const vendor = await call.operation('getVendor', { vendorId })
  const checklist: ChecklistItem[] = [
    toChecklistItem('email', vendor.email !== null, {
      met: 'The vendor has an email address.',
      missing: 'The vendor has no email address.',
    }),
    toChecklistItem('phone', vendor.phone !== null, {
      met: 'The vendor has a phone number.',
      missing: 'The vendor has no phone number.',
    }),
    toChecklistItem('scopes', vendor.scopes.length > 0, {
      met: 'The vendor has a trade.',
      missing: 'The vendor has no trade.',
    }),
    toChecklistItem('accounting_id', vendor.accountingId !== null, {
      met: 'The vendor has an accounting ID.',
      missing: 'The vendor has no accounting ID.',
    }),
    toChecklistItem('portal', invited !== null, {
      met: 'The vendor was invited to the portal.',
      missing: 'The vendor was not invited to the portal.',
    }),
    ...REQUIRED_DOCUMENTS.map((type) => toDocumentItem(type, documents)),
  ]
  return {
    ...{ vendor, documentIds: documents.map(({ id }) => id), checklist },
    missing: checklist.filter(({ isThere }) => !isThere).length,
  }
}

function toChecklistItem(
  item: string,
  isThere: boolean,
  { met, missing }: Readonly<Record<'met' | 'missing', string>>,
): ChecklistItem {
  return { item, isThere, detail: isThere ? met : missing }
}

/**
 * Returns the state of a required document. A document that has not been reviewed is present but does not make the
 * vendor compliant yet.
 */
function toDocumentItem(
  type: (typeof REQUIRED_DOCUMENTS)[number],
  documents: readonly ComplianceDocument[],
): ChecklistItem {
  const found = documents.find((document) => document.type === type)
  const isThere = found !== undefined && found.status !== 'expired' && found.status !== 'rejected'
  const label = DOCUMENT_LABELS[type]
  return {
    item: type,
    isThere,
    detail: found === undefined ? `The ${label} is missing.` : `The ${label} is ${humanizeValue(found.status)}.`,
  }
}
