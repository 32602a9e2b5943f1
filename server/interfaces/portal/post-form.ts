import type { PortalBidInvitation } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { detectContentType } from '../../platform/files/content-type.ts'
import { notFound, validationFailed } from '../../platform/problems/problem.ts'
import type { SentForm } from './form-body.ts'
import { getPageWithErrors, type PageResult } from './get-page.ts'
import { subjectKindOf } from './page-subject.ts'
import type { PageContext } from './pages/page-context.ts'
import { parseAmount, readPriceForm, toDraft } from './pages/price-form.ts'
import { uploadFile } from './portal-attachments.ts'
import { uploadDocumentFile } from './portal-compliance-document.ts'

/** The page that a form was submitted to. */
export interface FormTarget {
  root: string
  subject: string
  part: string | null
  /** The path of the page that shows the result. */
  here: string
}

const MAX_REASON = 1000
const MAX_MESSAGE = 5000
const MAX_NAME = 200

/** Performs a form's action as the vendor, and redirects to the page that shows the result. */
export async function postForm(
  call: Call,
  target: FormTarget,
  sent: SentForm,
  placed: () => Promise<PageContext>,
): Promise<PageResult> {
  const { subject, part, here } = target
  const kind = subjectKindOf(subject)
  if (kind === 'invitation' && part === 'price') return postPrice(call, target, sent, placed)
  if (kind === 'invitation' && part === 'review') return postReview(call, target, sent.fields)
  if (part !== null) throw notFound()
  if (subject === 'hand-in') return postDocument(call, target, sent)
  if (kind === 'invitation') await postInvitationAnswer(call, subject, sent.fields)
  else if (kind === 'task') await postTaskAnswer(call, subject, sent.fields)
  else if (kind === 'message') await postMessageReply(call, subject, sent.fields)
  else if (kind === 'waiver') await postSignature(call, subject, sent.fields)
  else if (kind === 'order') await postOrderAnswer(call, subject, sent.fields)
  else throw notFound()
  return { to: here }
}

type FormFields = SentForm['fields']

async function postInvitationAnswer(call: Call, invitationId: string, fields: FormFields): Promise<void> {
  const reason = toSingleLine(fields.reason)
  const why = reason !== '' && { reason }
  if (fields.do === 'withdraw') await call.operation('withdrawPortalBid', { invitationId, ...why })
  else await call.operation('answerPortalInvitation', { invitationId, answer: fields.answer, ...why })
}

async function postTaskAnswer(call: Call, taskId: string, { answer, ...fields }: FormFields): Promise<void> {
  const [note, proposedStart] = [toSingleLine(fields.note), toSingleLine(fields.proposedStart)]
  const said = { answer, ...(note !== '' && { note }), ...(proposedStart !== '' && { proposedStart }) }
  await call.operation('answerPortalTask', { taskId, ...said })
}

async function postMessageReply(call: Call, messageId: string, { body }: FormFields): Promise<void> {
  await call.operation('replyToPortalMessage', { messageId, body: toSingleLine(body, MAX_MESSAGE) })
}

async function postSignature(call: Call, lienWaiverId: string, fields: FormFields): Promise<void> {
  const signedBy = toSingleLine(fields.signedBy, MAX_NAME)
  const [consent, version] = [fields.consent === 'yes', Number(fields.version)]
  await call.operation('signPortalLienWaiver', { lienWaiverId, signedBy, consent, version })
}

async function postOrderAnswer(call: Call, purchaseOrderId: string, { answer, ...fields }: FormFields): Promise<void> {
  const [reason, version] = [toSingleLine(fields.reason), Number(fields.version)]
  await call.operation('answerPortalOrder', { purchaseOrderId, answer, version, ...(reason !== '' && { reason }) })
}

/** Saves the entered values as a draft unless a field cannot be parsed, and redirects to the target of the button. */
async function postPrice(
  call: Call,
  { subject: invitationId, here }: FormTarget,
  { fields, file }: SentForm,
  placed: () => Promise<PageContext>,
): Promise<PageResult> {
  // Every price form has this field. Without the check, a malformed form would replace the draft with nothing.
  if (fields.by === undefined) throw invalidField('/by')
  const invitation: PortalBidInvitation = await call.operation('getPortalInvitation', { invitationId })
  const { draft: before } = await call.operation('getPortalBid', { invitationId })
  const form = readPriceForm(invitation, fields)
  const { draft, faults } = toDraft(invitation.request.lines, { form, before, currency: call.currency })
  if (faults.size > 0) return getPageWithErrors(call, invitation, await placed(), { form, faults })
  await call.operation('savePortalBidDraft', { invitationId, ...draft })
  if (file !== null) await uploadFile(call, { invitationId, fileName: file.fileName }, file)
  return { to: fields.do === 'review' ? here.replace(/price$/, 'review') : `${here}?done=saved` }
}

async function postReview(
  call: Call,
  { subject: invitationId, root }: FormTarget,
  fields: FormFields,
): Promise<PageResult> {
  if (fields.do === 'discard') await call.operation('discardPortalBidDraft', { invitationId })
  else await call.operation('submitPortalBid', { invitationId, version: Number(fields.version) })
  return { to: `${root}/${invitationId}` }
}

async function postDocument(call: Call, { root }: FormTarget, { fields, file }: SentForm): Promise<PageResult> {
  const limitAmount = parseAmount(fields.limitAmount ?? '')
  if (limitAmount === undefined) throw invalidField('/limitAmount')
  if (file === null) throw invalidField('/file')
  // Checked before the document is recorded, because it would be useless without its file.
  if ((await detectContentType(file.path, file.fileName)) === null) throw invalidField('/file')
  const text = (name: string) => {
    const entered = toSingleLine(fields[name], MAX_NAME)
    return entered === '' ? null : entered
  }
  const { id } = await call.operation('submitPortalComplianceDocument', {
    ...{ type: fields.type, carrier: text('carrier'), policyNumber: text('policyNumber'), limitAmount },
    ...{ effectiveDate: text('effectiveDate'), expirationDate: text('expirationDate') },
  })
  await uploadDocumentFile(call, { complianceDocumentId: id, fileName: file.fileName }, file)
  return { to: `${root}/documents?done=handed-in` }
}

function invalidField(pointer: string) {
  return validationFailed([{ pointer, code: 'form', message: 'is not valid' }])
}

/** Returns the operation that a form performs, for the log. */
export function operationForForm(subject: string, part: string): string {
  if (part === 'price') return 'savePortalBidDraft'
  if (part === 'review') return 'submitPortalBid'
  if (subject === 'hand-in') return 'submitPortalComplianceDocument'
  const kind = subjectKindOf(subject)
  if (kind === 'task') return 'answerPortalTask'
  if (kind === 'message') return 'replyToPortalMessage'
  if (kind === 'order') return 'answerPortalOrder'
  return kind === 'waiver' ? 'signPortalLienWaiver' : 'answerPortalInvitation'
}

function toSingleLine(field: string | undefined, max = MAX_REASON): string {
  return (field ?? '').trim().slice(0, max)
}
