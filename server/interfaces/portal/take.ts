import type { PortalBidInvitation } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { contentTypeOf } from '../../platform/files/content-type.ts'
import { invalid, notFound } from '../../platform/problems/problem.ts'
import { handIn } from './attachments.ts'
import { handInFile } from './compliance-document.ts'
import type { Sent } from './form-body.ts'
import type { Place } from './pages/place.ts'
import { amountIn, draftFrom, formFrom } from './pages/price-form.ts'
import { type Shown, showFaults } from './show.ts'
import { kindOf } from './subject.ts'

/** The page that a form was submitted to. */
export interface Target {
  root: string
  subject: string
  part: string | null
  /** The path of the page that shows the result. */
  here: string
}

const MOST_REASON = 1000
const MOST_MESSAGE = 5000
const MOST_NAME = 200

/** Performs a form's action as the vendor, and redirects to the page that shows the result. */
export async function take(call: Call, target: Target, sent: Sent, placed: () => Promise<Place>): Promise<Shown> {
  const { subject, part, here } = target
  const kind = kindOf(subject)
  if (kind === 'invitation' && part === 'price') return takePrice(call, target, sent, placed)
  if (kind === 'invitation' && part === 'review') return takeReview(call, target, sent.fields)
  if (part !== null) throw notFound()
  if (subject === 'hand-in') return takeDocument(call, target, sent)
  if (kind === 'invitation') await takeAnswer(call, subject, sent.fields)
  else if (kind === 'task') await takeDate(call, subject, sent.fields)
  else if (kind === 'message') await takeReply(call, subject, sent.fields)
  else if (kind === 'waiver') await takeSignature(call, subject, sent.fields)
  else if (kind === 'order') await takeOrder(call, subject, sent.fields)
  else throw notFound()
  return { to: here }
}

type Fields = Sent['fields']

async function takeAnswer(call: Call, invitationId: string, fields: Fields): Promise<void> {
  const reason = lineOf(fields.reason)
  const why = reason !== '' && { reason }
  if (fields.do === 'withdraw') await call.operation('withdrawPortalBid', { invitationId, ...why })
  else await call.operation('answerPortalInvitation', { invitationId, answer: fields.answer, ...why })
}

async function takeDate(call: Call, taskId: string, { answer, ...fields }: Fields): Promise<void> {
  const [note, proposedStart] = [lineOf(fields.note), lineOf(fields.proposedStart)]
  const said = { answer, ...(note !== '' && { note }), ...(proposedStart !== '' && { proposedStart }) }
  await call.operation('answerPortalTask', { taskId, ...said })
}

async function takeReply(call: Call, messageId: string, { body }: Fields): Promise<void> {
  await call.operation('replyToPortalMessage', { messageId, body: lineOf(body, MOST_MESSAGE) })
}

async function takeSignature(call: Call, lienWaiverId: string, fields: Fields): Promise<void> {
  const signedBy = lineOf(fields.signedBy, MOST_NAME)
  const [consent, version] = [fields.consent === 'yes', Number(fields.version)]
  await call.operation('signPortalLienWaiver', { lienWaiverId, signedBy, consent, version })
}

async function takeOrder(call: Call, purchaseOrderId: string, { answer, ...fields }: Fields): Promise<void> {
  const [reason, version] = [lineOf(fields.reason), Number(fields.version)]
  await call.operation('answerPortalOrder', { purchaseOrderId, answer, version, ...(reason !== '' && { reason }) })
}

/** Saves the entered values as a draft unless a field cannot be parsed, and redirects to the target of the button. */
async function takePrice(
  call: Call,
  { subject: invitationId, here }: Target,
  { fields, file }: Sent,
  placed: () => Promise<Place>,
): Promise<Shown> {
  // Every price form has this field. Without the check, a malformed form would replace the draft with nothing.
  if (fields.by === undefined) throw wrong('/by')
  const invitation: PortalBidInvitation = await call.operation('getPortalInvitation', { invitationId })
  const { draft: before } = await call.operation('getPortalBid', { invitationId })
  const form = formFrom(invitation, fields)
  const { draft, faults } = draftFrom(invitation.request.lines, { form, before, currency: call.currency })
  if (faults.size > 0) return showFaults(call, invitation, await placed(), { form, faults })
  await call.operation('savePortalBidDraft', { invitationId, ...draft })
  if (file !== null) await handIn(call, { invitationId, fileName: file.fileName }, file)
  return { to: fields.do === 'review' ? here.replace(/price$/, 'review') : `${here}?done=saved` }
}

async function takeReview(call: Call, { subject: invitationId, root }: Target, fields: Fields): Promise<Shown> {
  if (fields.do === 'discard') await call.operation('discardPortalBidDraft', { invitationId })
  else await call.operation('submitPortalBid', { invitationId, version: Number(fields.version) })
  return { to: `${root}/${invitationId}` }
}

async function takeDocument(call: Call, { root }: Target, { fields, file }: Sent): Promise<Shown> {
  const limitAmount = amountIn(fields.limitAmount ?? '')
  if (limitAmount === undefined) throw wrong('/limitAmount')
  if (file === null) throw wrong('/file')
  // Checked before the document is recorded, because it would be useless without its file.
  if ((await contentTypeOf(file.path, file.fileName)) === null) throw wrong('/file')
  const text = (name: string) => {
    const entered = lineOf(fields[name], MOST_NAME)
    return entered === '' ? null : entered
  }
  const { id } = await call.operation('submitPortalComplianceDocument', {
    ...{ type: fields.type, carrier: text('carrier'), policyNumber: text('policyNumber'), limitAmount },
    ...{ effectiveDate: text('effectiveDate'), expirationDate: text('expirationDate') },
  })
  await handInFile(call, { complianceDocumentId: id, fileName: file.fileName }, file)
  return { to: `${root}/documents?done=handed-in` }
}

function wrong(pointer: string) {
  return invalid([{ pointer, code: 'form', message: 'is not valid' }])
}

/** Returns the operation that a form performs, for the log. */
export function performedBy(subject: string, part: string): string {
  if (part === 'price') return 'savePortalBidDraft'
  if (part === 'review') return 'submitPortalBid'
  if (subject === 'hand-in') return 'submitPortalComplianceDocument'
  const kind = kindOf(subject)
  if (kind === 'task') return 'answerPortalTask'
  if (kind === 'message') return 'replyToPortalMessage'
  if (kind === 'order') return 'answerPortalOrder'
  return kind === 'waiver' ? 'signPortalLienWaiver' : 'answerPortalInvitation'
}

function lineOf(field: string | undefined, most = MOST_REASON): string {
  return (field ?? '').trim().slice(0, most)
}
