import type { PortalBidInvitation } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import { detectContentType } from '../../platform/files/content-type.ts'
import { conflict, notFound, problem, validationFailed } from '../../platform/problems/problem.ts'
import { parseTypedNumber } from '../../platform/values/typed-number.ts'
import { isMoreThanLeft, readBillAmount, readBillForm } from './forms/bill-form.ts'
import { readSearchText } from './forms/find-lines.ts'
import { MAX_FILE_BYTES, type SentForm } from './forms/form-body.ts'
import { readPriceForm, toDraft } from './forms/price-form.ts'
import { isFormToken } from './forms/returned-forms.ts'
import { runActionOnce } from './forms/run-action-once.ts'
import type { PageResult } from './get-page.ts'
import { getSubjectKind } from './page-subject.ts'
import { uploadInvitationFile } from './portal-attachments.ts'
import { sealCalendarUrl } from './portal-calendar.ts'
import { uploadDocumentFile } from './portal-compliance-document.ts'
import { uploadPunchPhoto } from './portal-punch-item.ts'
import { uploadVisitPhoto } from './portal-visit.ts'
import { attachBillFile } from './vendor-bill.ts'

/** The page whose form was submitted. */
export interface FormTarget {
  root: string
  subject: string
  part: string | null
  /** The path of the page that shows the result of the form. */
  here: string
}

const MAX_REASON = 1000
const MAX_MESSAGE = 5000
const MAX_NAME = 200

/** Performs the action of a form as the vendor. Returns a redirect to the page that shows the result. */
export async function postForm(call: Call, target: FormTarget, sent: SentForm): Promise<PageResult> {
  const { subject, part, here } = target
  const { fields } = sent
  const kind = getSubjectKind(subject)
  if (kind === 'invitation' && part === 'price') return postPrice(call, target, sent)
  if (kind === 'invitation' && part === 'review') return postReview(call, target, fields)
  if (kind === 'order' && part === 'bill') return postBill(call, target, sent)
  if (part !== null) throw notFound()
  if (kind === 'bill') return postBillChange(call, target, sent)
  if (subject === 'hand-in') return postDocument(call, target, sent)
  if (subject === 'write') return postMessage(call, target, fields)
  if (subject === 'dates') return postCalendar(call, target, fields)
  if (kind === 'invitation' && fields.do === 'ask') return postQuestion(call, target, fields)
  if (kind === 'invitation') await postInvitationAnswer(call, subject, fields)
  else if (kind === 'task') await postTaskAnswer(call, subject, fields)
  else if (kind === 'message') await postMessageReply(call, subject, fields)
  else if (kind === 'waiver') await postSignature(call, subject, fields)
  else if (kind === 'order') await postOrderAnswer(call, subject, fields)
  else if (kind === 'punch') await postPunchAnswer(call, subject, sent)
  else if (kind === 'visit') await postVisitAnswer(call, subject, sent)
  else throw notFound()
  // The vendor can no longer see a disputed item, so redirect to the list.
  return { to: kind === 'punch' && fields.answer === 'disputed' ? `${target.root}/punch` : here }
}

type FormFields = SentForm['fields']

/**
 * Performs an operation only once for each form, even if the button was tapped more than once. Not needed for
 * operations that change nothing if repeated, such as the response to an invitation.
 *
 * @param check throws if the operation must not be performed; not called for a repeat
 */
async function operateOnce<Id extends OperationId>(
  call: Call,
  fields: FormFields,
  operation: Id,
  input: Record<string, unknown>,
  check: (call: Call) => Promise<void> = async () => undefined,
): Promise<string> {
  return runActionOnce(call, { token: getToken(fields), operation, entries: input }, async (call) => {
    await check(call)
    const done: unknown = await call.operation(operation, input)
    return typeof done === 'object' && done !== null && 'id' in done ? String(done.id) : ''
  })
}

function getToken({ once }: FormFields): string | null {
  return isFormToken(once) ? once : null
}

async function postInvitationAnswer(call: Call, invitationId: string, fields: FormFields): Promise<void> {
  const reason = toSingleLine(fields.reason)
  const why = reason !== '' && { reason }
  if (fields.do === 'withdraw') await operateOnce(call, fields, 'withdrawPortalBid', { invitationId, ...why })
  else await call.operation('answerPortalInvitation', { invitationId, answer: fields.answer, ...why })
}

async function postTaskAnswer(call: Call, taskId: string, fields: FormFields): Promise<void> {
  const { answer } = fields
  const [note, proposedStart] = [toSingleLine(fields.note), toSingleLine(fields.proposedStart)]
  const said = { answer, ...(note !== '' && { note }), ...(proposedStart !== '' && { proposedStart }) }
  await call.operation('answerPortalTask', { taskId, ...said })
}

async function postMessage(call: Call, { root }: FormTarget, fields: FormFields): Promise<PageResult> {
  const [subject, body] = [toSingleLine(fields.subject, MAX_NAME), toSingleLine(fields.body, MAX_MESSAGE)]
  const id = await operateOnce(call, fields, 'sendPortalMessage', { body, ...(subject !== '' && { subject }) })
  return { to: `${root}/${id}` }
}

/**
 * Sends a question about the request. With a link to one invitation, the page only confirms the question, because such
 * a link cannot show messages.
 */
async function postQuestion(
  call: Call,
  { root, subject: invitationId, here }: FormTarget,
  fields: FormFields,
): Promise<PageResult> {
  const body = toSingleLine(fields.body, MAX_MESSAGE)
  const id = await operateOnce(call, fields, 'sendPortalMessage', { invitationId, body })
  const { principal } = call
  return { to: principal.subjectId === principal.id ? `${root}/${id}` : `${here}?done=asked` }
}

/** Creates a calendar feed. Redirects to the list of dates, which shows the link to the feed once. */
async function postCalendar(call: Call, { root }: FormTarget, fields: FormFields): Promise<PageResult> {
  const calendar = await runActionOnce(
    call,
    { token: getToken(fields), operation: 'createPortalCalendarFeed', entries: {} },
    async (call) => sealCalendarUrl(call, (await call.operation('createPortalCalendarFeed', {})).url),
  )
  return { to: `${root}/dates?calendar=${calendar}` }
}

async function postMessageReply(call: Call, messageId: string, fields: FormFields): Promise<void> {
  await operateOnce(call, fields, 'replyToPortalMessage', { messageId, body: toSingleLine(fields.body, MAX_MESSAGE) })
}

async function postSignature(call: Call, lienWaiverId: string, fields: FormFields): Promise<void> {
  const signedBy = toSingleLine(fields.signedBy, MAX_NAME)
  const [consent, version] = [fields.consent === 'yes', Number(fields.version)]
  await operateOnce(call, fields, 'signPortalLienWaiver', { lienWaiverId, signedBy, consent, version })
}

async function postOrderAnswer(call: Call, poId: string, fields: FormFields): Promise<void> {
  const { answer } = fields
  const [reason, version] = [toSingleLine(fields.reason), Number(fields.version)]
  const said = { answer, version, ...(reason !== '' && { reason }) }
  await call.operation('answerPortalOrder', { poId, ...said })
}

/** Sends a bill for an order, and then its file, and redirects to the bill. */
async function postBill(
  call: Call,
  { subject: poId, root }: FormTarget,
  { fields, file, isFileTooLarge }: SentForm,
): Promise<PageResult> {
  const order = await call.operation('getPortalOrder', { poId })
  if (!order.canBill) throw conflict('wrong_status', `You cannot send a bill for ${order.number} here.`)
  const { invoiceNumber, invoiceDate, description, isSure, ...form } = readBillForm(fields)
  const { value: amount } = readBillAmount(form, order)
  if (amount === null) throw invalidField('/entries')
  if (invoiceNumber === '') throw invalidField('/invoiceNumber')
  if (isFileTooLarge) throw tooLarge()
  // The file is checked before the bill is recorded, so that the vendor corrects both together.
  if (file !== null && (await detectContentType(file.path, file.fileName)) === null) throw invalidField('/file')
  const line = { poId, amount, ...(description !== '' && { description }) }
  const bill = { invoiceNumber, ...(invoiceDate !== '' && { invoiceDate }), lines: [line] }
  const billId = await operateOnce(
    call,
    fields,
    'submitPortalBill',
    bill,
    // A repeated form is not asked, because its first bill has reduced what is left to bill.
    async (call) => {
      const { leftToBill } = await call.operation('getPortalOrder', { poId })
      if (isMoreThanLeft(amount, { leftToBill }) && !isSure) throw invalidField('/sure')
    },
  )
  if (file !== null) await uploadBillFileOnce(call, fields, billId, file)
  return { to: `${root}/${billId}` }
}

async function postBillChange(
  call: Call,
  { subject: billId, here }: FormTarget,
  { fields, file, isFileTooLarge }: SentForm,
): Promise<PageResult> {
  const reason = toSingleLine(fields.reason, MAX_WITHDRAWAL)
  if (fields.do === 'withdraw') {
    await operateOnce(call, fields, 'withdrawPortalBill', { billId, ...(reason !== '' && { reason }) })
    return { to: here }
  }
  if (isFileTooLarge) throw tooLarge()
  if (file === null) throw invalidField('/file')
  await uploadBillFileOnce(call, fields, billId, file)
  return { to: here }
}

const MAX_WITHDRAWAL = 400

async function uploadBillFileOnce(
  call: Call,
  fields: FormFields,
  billId: string,
  file: NonNullable<SentForm['file']>,
): Promise<void> {
  const { fileName, sha256 } = file
  await runActionOnce(
    call,
    { token: getToken(fields), operation: 'uploadPortalBillFile', entries: { billId, fileName, sha256 } },
    async (call) => (await attachBillFile(call, { billId, fileName }, file)).id,
  )
}

/** Uploads the photo before the response, because an item can be marked as fixed only if it has a photo. */
async function postPunchAnswer(
  call: Call,
  punchItemId: string,
  { fields, file, isFileTooLarge }: SentForm,
): Promise<void> {
  const { answer, date } = fields
  if (isFileTooLarge) throw tooLarge()
  if (answer === 'fixed' && file !== null) {
    const { fileName, sha256 } = file
    await runActionOnce(
      call,
      { token: getToken(fields), operation: 'uploadPortalPunchPhoto', entries: { punchItemId, fileName, sha256 } },
      async (call) => (await uploadPunchPhoto(call, { punchItemId, fileName }, file)).id,
    )
  }
  const reason = toSingleLine(fields.reason)
  await operateOnce(call, fields, 'answerPortalPunchItem', {
    ...{ punchItemId, answer },
    // A new photo does not increase the version of the item.
    ...(fields.version !== undefined && { version: Number(fields.version) }),
    ...(answer === 'will_fix' && { date: toSingleLine(date) }),
    ...(answer === 'disputed' && { reason }),
  })
}

async function postVisitAnswer(call: Call, visitId: string, { fields, file, isFileTooLarge }: SentForm): Promise<void> {
  const note = toSingleLine(fields.note)
  const said = { visitId, version: Number(fields.version), ...(note !== '' && { note }) }
  if (fields.answer !== 'done') {
    await operateOnce(call, fields, 'answerPortalVisit', { ...said, answer: fields.answer })
    return
  }
  if (isFileTooLarge) throw tooLarge()
  if (file !== null) {
    const { fileName, sha256 } = file
    await runActionOnce(
      call,
      { token: getToken(fields), operation: 'uploadPortalVisitPhoto', entries: { visitId, fileName, sha256 } },
      async (call) => (await uploadVisitPhoto(call, { visitId, fileName }, file)).id,
    )
  }
  await operateOnce(call, fields, 'completePortalVisit', said)
}

/**
 * Returns a function that saves a price form as soon as its file begins to arrive. If the connection breaks during the
 * upload, only the file is lost. Returns null for other forms.
 */
export function createEarlySaver(call: Call, target: FormTarget) {
  const { subject, part } = target
  if (getSubjectKind(subject) !== 'invitation' || part !== 'price') return null
  let saving: Promise<unknown> = Promise.resolve()
  return {
    save(fields: FormFields): void {
      // Ignores an error here. Saving the complete form reports it again.
      if (fields.by !== undefined) saving = savePrice(call, subject, fields).catch(() => undefined)
    },
    saved: () => saving,
  }
}

/** Saves the entered values as a draft. Throws `validation_failed` if a value cannot be parsed. */
async function savePrice(call: Call, invitationId: string, fields: FormFields): Promise<void> {
  // Every price form has this field. Without this check, a malformed form would replace the draft with an empty draft.
  if (fields.by === undefined) throw problem('malformed_request', 'The body is not a price form.')
  const invitation: PortalBidInvitation = await call.operation('getPortalInvitation', { invitationId })
  const { draft: before } = await call.operation('getPortalBid', { invitationId })
  const { draft, errors } = toDraft(invitation.request, {
    ...{ form: readPriceForm(invitation, fields), before, currency: call.currency },
  })
  if (errors.size > 0) throw invalidField('/entries')
  const version = fields.version === undefined ? {} : { version: Number(fields.version) }
  await call.operation('savePortalBidDraft', { invitationId, ...draft, ...version })
}

/** Saves the draft, adds the file, and redirects to the page that belongs to the pressed button. */
async function postPrice(call: Call, { subject: invitationId, here }: FormTarget, sent: SentForm): Promise<PageResult> {
  const { fields, file, isFileTooLarge } = sent
  await savePrice(call, invitationId, fields)
  const [action, attachmentId] = (fields.do ?? '').split(' ')
  if (action === 'remove') await call.operation('discardPortalAttachment', { invitationId, attachmentId })
  if (isFileTooLarge) throw tooLarge()
  if (file !== null) {
    const { fileName, sha256 } = file
    await runActionOnce(
      call,
      { token: getToken(fields), operation: 'uploadPortalAttachment', entries: { invitationId, fileName, sha256 } },
      async (call) => (await uploadInvitationFile(call, { invitationId, fileName }, file)).id,
    )
  }
  if (fields.do === 'review') return { to: here.replace(/price$/, 'review') }
  if (fields.do === 'find') return { to: `${here}?find=${encodeURIComponent(readSearchText(fields.find))}#found` }
  return { to: `${here}?done=saved` }
}

async function postReview(
  call: Call,
  { subject: invitationId, root }: FormTarget,
  fields: FormFields,
): Promise<PageResult> {
  if (fields.do === 'discard') await call.operation('discardPortalBidDraft', { invitationId })
  else {
    if (fields.unusual === 'ask' && fields.sure !== 'yes') throw invalidField('/sure')
    await operateOnce(call, fields, 'submitPortalBid', { invitationId, version: Number(fields.version) })
  }
  return { to: `${root}/${invitationId}` }
}

async function postDocument(
  call: Call,
  { root }: FormTarget,
  { fields, file, isFileTooLarge }: SentForm,
): Promise<PageResult> {
  const limit = parseTypedNumber(fields.limitAmount ?? '', { decimals: 2, isNegativeAllowed: false })
  if (limit.error !== null) throw invalidField('/entries')
  if (isFileTooLarge) throw tooLarge()
  if (file === null) throw invalidField('/file')
  // Checks the file before creating the document, because a document without a file is useless.
  if ((await detectContentType(file.path, file.fileName)) === null) throw invalidField('/file')
  const text = (name: string) => {
    const entered = toSingleLine(fields[name], MAX_NAME)
    return entered === '' ? null : entered
  }
  const complianceDocumentId = await operateOnce(call, fields, 'submitPortalComplianceDocument', {
    ...{ type: fields.type, carrier: text('carrier'), policyNumber: text('policyNumber'), limitAmount: limit.value },
    ...{ effectiveDate: text('effectiveDate'), expirationDate: text('expirationDate') },
  })
  const { fileName, sha256 } = file
  await runActionOnce(
    call,
    { token: getToken(fields), operation: 'uploadPortalComplianceFile', entries: { complianceDocumentId, sha256 } },
    async (call) => (await uploadDocumentFile(call, { complianceDocumentId, fileName }, file)).id,
  )
  return { to: `${root}/documents?done=handed-in` }
}

function tooLarge() {
  return problem('payload_too_large', `The file exceeds the limit of ${MAX_FILE_BYTES} bytes.`)
}

function invalidField(pointer: string) {
  return validationFailed([{ pointer, code: 'form', message: 'is not valid' }])
}

/** Returns the name of the operation that a form calls, for the log. */
export function getFormOperation(subject: string, part: string): string {
  if (part === 'price') return 'savePortalBidDraft'
  if (part === 'review') return 'submitPortalBid'
  if (part === 'bill') return 'submitPortalBill'
  if (subject === 'hand-in') return 'submitPortalComplianceDocument'
  if (subject === 'write') return 'sendPortalMessage'
  if (subject === 'dates') return 'createPortalCalendarFeed'
  const kind = getSubjectKind(subject)
  if (kind === 'task') return 'answerPortalTask'
  if (kind === 'message') return 'replyToPortalMessage'
  if (kind === 'order') return 'answerPortalOrder'
  if (kind === 'bill') return 'withdrawPortalBill'
  if (kind === 'punch') return 'answerPortalPunchItem'
  if (kind === 'visit') return 'answerPortalVisit'
  return kind === 'waiver' ? 'signPortalLienWaiver' : 'answerPortalInvitation'
}

function toSingleLine(field: string | undefined, max = MAX_REASON): string {
  return (field ?? '').trim().slice(0, max)
}
