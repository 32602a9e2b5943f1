import { sql } from 'kysely'
import { attachFileAsCaller } from '../../domain/attachments/attach-file.ts'
import { isImageType } from '../../domain/attachments/create-image.ts'
import * as communities from '../../domain/land/communities/queries.ts'
import * as owners from '../../domain/land/home-owners/queries.ts'
import * as buyerChanges from '../../domain/selling/price-changes/queries.ts'
import * as selections from '../../domain/selling/selections/queries.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { detectContentType } from '../../platform/files/content-type.ts'
import { conflict, notFound, type Problem, problem, validationFailed } from '../../platform/problems/problem.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { formatDate } from '../../platform/values/format.ts'
import { MAX_FILE_BYTES, type SentForm } from '../portal/forms/form-body.ts'
import { isFormToken } from '../portal/forms/returned-forms.ts'
import { runActionOnce } from '../portal/forms/run-action-once.ts'
import type { PageResult } from '../portal/get-page.ts'
import { toOwnerSubject } from './get-owner-page.ts'
import {
  findOwnChange,
  findOwner,
  findOwnSelection,
  findOwnWalkthrough,
  findOwnWarrantyRequest,
  getHomeId,
  listThread,
} from './own-records.ts'
import type { OwnerPage } from './owner-page.ts'
import { signChange, signChoice } from './signed-text.ts'

type FormFields = SentForm['fields']

interface OwnerFormTarget {
  root: string
  subject: string
  /** The path of the page that shows the result of the form. */
  here: string
  /** Returns the page in the owner's language. */
  loadPage: () => Promise<OwnerPage>
}

/** Performs the action of a form as the home owner. Returns a redirect to the page that shows the result. */
export async function postOwnerForm(call: Call, target: OwnerFormTarget, sent: SentForm): Promise<PageResult> {
  const { root, subject, here, loadPage } = target
  const { fields } = sent
  if (subject === 'report') return { to: `${root}/${await report(call, sent)}` }
  if (subject === 'write') return { to: `${root}/${await write(call, fields)}` }
  const kind = toOwnerSubject(subject)
  if (kind === 'selection') await decideSelection(call, subject, fields, loadPage)
  else if (kind === 'change') await decideChange(call, subject, fields, loadPage)
  else if (kind === 'walkthrough') await signWalkthrough(call, subject, fields)
  else if (kind === 'request') await answerRequest(call, subject, sent)
  else if (kind === 'message') await reply(call, subject, fields)
  else throw notFound()
  return { to: here }
}

/**
 * Performs an operation only once for each form, even if the button was tapped more than once. If `assertAsShown`
 * throws, the operation is rolled back.
 */
function operateOnce<Id extends OperationId>(
  call: Call,
  fields: FormFields,
  operation: Id,
  input: Record<string, unknown>,
  assertAllowed: (call: WriteCall) => Promise<void>,
  assertAsShown: (call: WriteCall) => Promise<void> = async () => undefined,
): Promise<string> {
  return runActionOnce(call, { token: getToken(fields), operation, entries: input }, (call) =>
    call.write(async (call) => {
      await assertAllowed(call)
      const done: unknown = await call.operation(operation, input)
      await assertAsShown(call)
      return typeof done === 'object' && done !== null && 'id' in done ? String(done.id) : ''
    }),
  )
}

async function decideSelection(
  call: Call,
  selectionId: string,
  fields: FormFields,
  loadPage: OwnerFormTarget['loadPage'],
): Promise<void> {
  const decision = readDecision(fields)
  const place = await loadPage()
  await operateOnce(
    call,
    fields,
    'changeSelectionStatus',
    { selectionId, ...decision },
    async (call) => {
      const selection = await findOwnSelection(call, selectionId)
      assertUnchanged(fields, selection)
      if (decision.status !== 'approved') return
      await selections.storeSignature(call, selectionId, signChoice(call, place, selection, readSignature(fields)))
    },
    // The approval computes the price again, but the owner agrees only to the price on the page.
    async (call) => {
      const { status, difference } = await findOwnSelection(call, selectionId)
      if (status === 'approved' && Number(fields.difference) !== difference) throw createChangedProblem()
    },
  )
}

async function decideChange(
  call: Call,
  buyerChangeId: string,
  fields: FormFields,
  loadPage: OwnerFormTarget['loadPage'],
): Promise<void> {
  const decision = readDecision(fields)
  const place = await loadPage()
  await operateOnce(call, fields, 'changeBuyerChangeStatus', { buyerChangeId, ...decision }, async (call) => {
    const change = await findOwnChange(call, buyerChangeId)
    if (change.status !== 'sent')
      throw conflict('wrong_status', 'Cannot respond to the change order: it already has a response.')
    assertUnchanged(fields, change)
    if (decision.status !== 'approved') return
    await buyerChanges.storeSignature(call, buyerChangeId, signChange(call, place, change, readSignature(fields)))
  })
}

async function signWalkthrough(call: Call, walkthroughId: string, fields: FormFields): Promise<void> {
  const signedBy = readSignature(fields)
  const input = { walkthroughId, signedBy, consent: true, version: Number(fields.version) }
  await operateOnce(call, fields, 'closeWalkthrough', input, async (call) => {
    const { date } = await findOwnWalkthrough(call, walkthroughId)
    if (date > (await findToday(call)))
      throw conflict('not_available', `Cannot sign the punch list of the walkthrough before ${formatDate(date)}.`)
  })
}

/** Returns the current date in the home's community. */
async function findToday(call: Call): Promise<string> {
  const { communityId } = await call.operation('getHome', { homeId: getHomeId(call) })
  const { timeZone } = await communities.find(call, communityId)
  return toLocalDate(timeZone, call.now)
}

/** Reads the decision from a form: approved with a signature, or declined with an optional reason. */
function readDecision(fields: FormFields): { status: 'approved' | 'declined'; reason?: string } {
  if (fields.answer === 'sign') return { status: 'approved', reason: `Signed by ${readSignature(fields)}` }
  if (fields.answer !== 'decline') throw invalidField('/answer')
  const reason = toText(fields.reason, 500)
  return { status: 'declined', ...(reason !== '' && { reason }) }
}

function readSignature({ signedBy, consent }: FormFields): string {
  const name = toText(signedBy, 200)
  if (name === '' || consent !== 'yes') throw invalidField('/signedBy')
  return name
}

/** Throws if the record has changed since the owner opened the page. */
function assertUnchanged({ version }: FormFields, record: { version: number }): void {
  if (Number(version) !== record.version) throw createChangedProblem()
}

function createChangedProblem(): Problem {
  return conflict('changed_meanwhile', 'Cannot save your response: the record changed after the page was opened.')
}

/** The maximum number of reports per day. It is limited, because people must read and answer each report. */
const MAX_REPORTS_PER_DAY = 10
const DAY_MS = 86_400_000

/** Creates a warranty request and then adds its photo. Returns the ID of the warranty request. */
async function report(call: Call, { fields, file, isFileTooLarge }: SentForm): Promise<string> {
  if (isFileTooLarge) throw tooLarge()
  const description = toText(fields.description, 4000)
  if (description === '') throw invalidField('/body')
  // Checks the photo before creating the request. Otherwise, each attempt with a wrong file would create another
  // request.
  if (file !== null) await assertPhoto(file)
  const { name } = await findOwner(call)
  const location = toText(fields.location, 100)
  const input = {
    ...{ homeId: getHomeId(call), source: 'owner_page', reportedBy: name, description, severity: fields.severity },
    ...(location !== '' && { location }),
  }
  const id = await operateOnce(call, fields, 'createWarrantyRequest', input, async (call) => {
    await owners.lock(call, String(call.principal.id))
    if ((await countReports(call)) >= MAX_REPORTS_PER_DAY)
      throw conflict(
        'limit_reached',
        `You can send at most ${MAX_REPORTS_PER_DAY} reports per day. Try again tomorrow, or call the builder.`,
      )
  })
  if (file !== null) await addPhoto(call, fields, id, file)
  return id
}

async function countReports({ db, organizationId, principal, now }: WriteCall): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "warrantyRequests"
    where "organizationId" = ${organizationId} and "homeId" = ${principal.subjectId}
      and "createdBy"->>'type' = 'home_owner' and "createdAt" > ${new Date(now.getTime() - DAY_MS)}`.execute(db)
  return rows[0]?.count ?? 0
}

async function answerRequest(call: Call, warrantyRequestId: string, sent: SentForm): Promise<void> {
  const { fields, file, isFileTooLarge } = sent
  const request = await findOwnWarrantyRequest(call, warrantyRequestId)
  if (fields.answer === 'photo') {
    if (isFileTooLarge) throw tooLarge()
    if (file === null) throw invalidField('/file')
    return addPhoto(call, fields, request.id, file)
  }
  const isFixed = fields.answer === 'sign'
  const reason = toText(fields.reason, 1000)
  if (!isFixed && reason === '') throw invalidField('/reason')
  const input = isFixed
    ? { warrantyRequestId, status: 'closed', signedBy: readSignature(fields) }
    : { warrantyRequestId, status: 'assigned', reason }
  await operateOnce(call, fields, 'changeWarrantyRequestStatus', input, async (call) => {
    const request = await findOwnWarrantyRequest(call, warrantyRequestId)
    if (request.status !== 'completed')
      throw conflict('wrong_status', 'Cannot respond to the repair: it already has a response.')
    assertUnchanged(fields, request)
  })
}

async function assertPhoto({ path, fileName }: ReceivedFile & { fileName: string }): Promise<void> {
  const contentType = await detectContentType(path, fileName)
  if (contentType === null || !isImageType(contentType)) throw invalidField('/file')
}

/** The maximum number of photos. Without a limit, anyone with the link could fill the builder's storage. */
const MAX_PHOTOS = 10

async function addPhoto(
  call: Call,
  fields: FormFields,
  recordId: string,
  file: ReceivedFile & { fileName: string },
): Promise<void> {
  const { fileName, sha256 } = file
  const photo = { recordId, fileName, kind: 'photo' as const, sharedWithOwner: true }
  const action = { token: getToken(fields), operation: 'uploadAttachment', entries: { recordId, fileName, sha256 } }
  const assertAllowed = async (call: WriteCall) => {
    if ((await countPhotos(call, recordId)) >= MAX_PHOTOS)
      throw conflict('limit_reached', `A report can have at most ${MAX_PHOTOS} photos.`)
  }
  await runActionOnce(call, action, async (call) => (await attachFileAsCaller(call, photo, file, { assertAllowed })).id)
}

async function countPhotos({ db, organizationId }: Call, recordId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "attachments"
    where "organizationId" = ${organizationId} and "recordId" = ${recordId}
      and "createdBy"->>'type' = 'home_owner' and "archivedAt" is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** The maximum number of messages per hour, because people must read each message. */
const MAX_MESSAGES_PER_HOUR = 20
const HOUR_MS = 3_600_000

/**
 * Starts a thread with the home's superintendent and salesperson, or with owners and admins if the home has neither.
 */
async function write(call: Call, fields: FormFields): Promise<string> {
  const subject = toText(fields.subject, 200)
  const homeId = getHomeId(call)
  const { superintendentId, saleId } = await call.operation('getHome', { homeId })
  const sale = saleId === null ? null : await call.operation('getSale', { saleId })
  const userIds = await listActiveUsers(call, [superintendentId, sale?.salesRepId ?? null])
  return operateOnce(
    call,
    fields,
    'sendMessage',
    {
      ...{ channel: 'email', body: readBody(fields), relatedTo: { type: 'home', id: homeId } },
      ...(subject !== '' && { subject }),
      ...(userIds.length === 0
        ? { recipientRoles: ['owner', 'admin'] }
        : { recipients: userIds.map((id) => ({ type: 'user', id })) }),
    },
    assertMayWrite,
  )
}

async function reply(call: Call, inReplyToId: string, fields: FormFields): Promise<void> {
  await listThread(call, inReplyToId)
  const relatedTo = { type: 'home', id: getHomeId(call) }
  const input = { channel: 'email', body: readBody(fields), inReplyToId, relatedTo }
  await operateOnce(call, fields, 'sendMessage', input, assertMayWrite)
}

async function assertMayWrite(call: WriteCall): Promise<void> {
  const { db, organizationId, principal, now } = call
  await owners.lock(call, String(principal.id))
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "messageRecipients" as r
    join "messages" as m on m."organizationId" = r."organizationId" and m."id" = r."messageId"
    where r."organizationId" = ${organizationId} and r."recipientId" = ${principal.id} and r."isOwn"
      and m."createdAt" > ${new Date(now.getTime() - HOUR_MS)}`.execute(db)
  if ((rows[0]?.count ?? 0) >= MAX_MESSAGES_PER_HOUR)
    throw conflict(
      'limit_reached',
      `You can send at most ${MAX_MESSAGES_PER_HOUR} messages per hour. Try again in an hour, or call the builder.`,
    )
}

async function listActiveUsers(call: Call, ids: readonly (string | null)[]): Promise<string[]> {
  const named = ids.filter((id) => id !== null)
  if (named.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select "id" from "users"
    where "organizationId" = ${call.organizationId} and "id" = any(${named}::text[]) and "status" <> 'disabled'`.execute(
    call.db,
  )
  return rows.map(({ id }) => id)
}

function readBody({ body }: FormFields): string {
  const text = toText(body, 5000)
  if (text === '') throw invalidField('/body')
  return text
}

function getToken({ once }: FormFields): string | null {
  return isFormToken(once) ? once : null
}

function toText(field: string | undefined, max: number): string {
  return (field ?? '').trim().slice(0, max)
}

function tooLarge() {
  return problem('payload_too_large', `The file exceeds the limit of ${MAX_FILE_BYTES} bytes.`)
}

function invalidField(pointer: string) {
  return validationFailed([{ pointer, code: 'form', message: 'is not valid' }])
}
