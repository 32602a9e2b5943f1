import { createHash } from 'node:crypto'
import { attachStoredFile } from '../../domain/attachments/attach-file.ts'
import { lockBidRequest } from '../../domain/bidding/bid-requests/change-bid-request.ts'
import { type FoundReplySubject, findReplySubject } from '../../domain/office/mail/reply-addresses.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import { type Call, createCall, type Services, type WriteCall } from '../../platform/calls/call.ts'
import type { InboundMail } from '../../platform/config/config.ts'
import { hasPortalLink, hasRevokedLinks } from '../../platform/keys/portal-links.ts'
import { createSystemCall, toVendorPrincipal } from '../../platform/keys/principals.ts'
import { Problem } from '../../platform/problems/problem.ts'
import { runActionOnce } from '../portal/forms/run-action-once.ts'
import { createPageLocale } from '../portal/pages/page-locale.ts'
import { readPortalBid } from '../portal/portal-bid.ts'
import { requireVisibleInvitation } from '../portal/portal-invitation.ts'
import { replyToMessage, sendPortalMessage } from '../portal/portal-message.ts'
import { cleanText } from './clean-text.ts'
import { mailBiddingClosed, saveMailedBid } from './draft-from-mail.ts'
import { type InboundMailBody, readAddress } from './inbound-mail.ts'
import { type MailedFile, type StoredMailedFile, storeMailedFiles, withMailedFiles } from './mailed-files.ts'
import { readNewText } from './new-text.ts'
import { keepWithinStorage, mailRefusedFiles, writeRefusals } from './refused-files.ts'
import { omitSignaturePictures } from './signature-pictures.ts'

/** The result of an email, for the log. The sender of the email learns nothing about emails that are ignored. */
export type MailOutcome =
  | 'draft_saved'
  | 'message_sent'
  | 'bidding_closed'
  | `ignored_${'automatic' | 'unknown_address' | 'unknown_sender' | 'no_link' | 'empty' | 'refused'}`

interface Origin {
  requestId: string
  address: string | null
}

/** A reply with its subject and the vendor that wrote it. */
interface Reply extends FoundReplySubject {
  from: string
  text: string
}

const MAX_MESSAGE = 5000

/** Other files of an email are refused. */
const MAX_FILES = 20

/** The maximum number of files that a message lists as refused, so that the text of the vendor still fits. */
const MAX_NAMES = 6

/**
 * Receives a vendor's reply. The vendor is identified by the secret address that the reply was sent to, together with
 * the address that it was sent from, because anyone could write a known address into the header From.
 */
export async function receiveMail(
  services: Services,
  inbound: InboundMail,
  mail: InboundMailBody,
  origin: Origin,
): Promise<MailOutcome> {
  if (isAutomatic(mail)) return 'ignored_automatic'
  const subject = await findReplySubject(services, inbound, mail.to.map(readAddress))
  if (subject === null) return 'ignored_unknown_address'
  const from = readAddress(mail.from)
  if (!(await isSentByVendor(services, subject, from))) return 'ignored_unknown_sender'
  const reply = { ...subject, from, text: cleanText(readNewText(mail.text ?? ''), MAX_MESSAGE).trim() }
  const attached = omitSignaturePictures(mail)
  if (reply.text === '' && attached.length === 0) return 'ignored_empty'
  const call = await createVendorCall(services, reply, origin)
  if (call === null) return 'ignored_no_link'
  try {
    return await withMailedFiles(services.files, attached, (files) => receiveOnce(call, mail.messageId, reply, files))
  } catch (error) {
    if (error instanceof Problem && error.status < 500 && error.status !== 429) return 'ignored_refused'
    throw error
  }
}

/** Vacation notices and delivery reports are marked. Answering them would let two programs write to each other. */
function isAutomatic({ autoSubmitted }: InboundMailBody): boolean {
  return autoSubmitted != null && !/^\s*no\b/i.test(autoSubmitted)
}

/**
 * Returns whether the reply comes from an address of the vendor that received the email. Another recipient of the same
 * message could otherwise write in the name of the vendor.
 */
async function isSentByVendor(services: Services, { organizationId, vendorId }: FoundReplySubject, from: string) {
  const call = await createSystemCall(services, organizationId)
  const [vendor] = await vendors.findAll(call, [vendorId])
  if (vendor === undefined || vendor.archivedAt !== null || vendor.status === 'inactive') return false
  const addresses = [vendor.email, ...vendor.contacts.map(({ email }) => email)]
  return addresses.some((address) => address?.toLowerCase() === from)
}

/**
 * Returns a call of the vendor; null if the builder has revoked the vendor's links. A reply must not bypass a revoked
 * link.
 */
async function createVendorCall(services: Services, { organizationId, subjectId, vendorId }: Reply, origin: Origin) {
  const system = await createSystemCall(services, organizationId)
  const isInvitation = subjectId.startsWith('inv_')
  const mayReply =
    (await hasPortalLink(system, { subjectId: vendorId, vendorId })) ||
    (isInvitation
      ? await hasPortalLink(system, { subjectId, vendorId })
      : // A vendor can receive messages without ever having had a link.
        !(await hasRevokedLinks(system, vendorId)))
  if (!mayReply) return null
  const { organization } = system.principal
  const principal = toVendorPrincipal(organization, vendorId, isInvitation ? subjectId : vendorId)
  return createCall(services, { principal, ...origin })
}

/** Stores an email once, although mail providers may deliver it again. */
async function receiveOnce(
  call: Call,
  messageId: string,
  reply: Reply,
  files: readonly MailedFile[],
): Promise<MailOutcome> {
  const token = createHash('sha256').update(messageId.trim()).digest('base64url')
  const outcome = await runActionOnce(call, { token, operation: 'receiveMail', entries: null }, async (call) => {
    // Within the transaction, the embedded database has no second connection, which storing a file requires.
    const stored = await storeMailedFiles(call, files, MAX_FILES)
    return call.write((call) => storeReply(call, reply, stored))
  })
  return outcome as MailOutcome
}

async function storeReply(call: WriteCall, reply: Reply, files: readonly StoredMailedFile[]): Promise<MailOutcome> {
  const { subjectId, from, text } = reply
  if (!subjectId.startsWith('inv_')) {
    await storeMessage(call, reply, files)
    return 'message_sent'
  }
  const invitationId = subjectId
  // Otherwise, a draft that is saved at the same time could be overwritten.
  if (files.length > 0) await lockBidRequest(call, (await requireVisibleInvitation(call, invitationId)).bidRequestId)
  const bid = files.length === 0 ? null : await readPortalBid(call, invitationId)
  const mailed = { invitationId, from, text, files }
  if (bid?.canBid === true) {
    await saveMailedBid(call, bid, mailed)
    return 'draft_saved'
  }
  if (text !== '') await sendPortalMessage(call, { invitationId, body: text })
  if (bid === null) return 'message_sent'
  await mailBiddingClosed(call, mailed)
  return 'bidding_closed'
}

/** Stores a reply to a message. Its text lists the files that were not stored, and the vendor gets an email about them. */
async function storeMessage(
  call: WriteCall,
  { subjectId, from, text }: Reply,
  files: readonly StoredMailedFile[],
): Promise<void> {
  const { accepted, refused } = await keepWithinStorage(call, files)
  const { refusedFiles, refusals } = createPageLocale('en', call.now).words.mailed
  const note = refused.length === 0 ? '' : `\n\n${refusedFiles}\n${writeRefusals(refused, refusals, MAX_NAMES)}`
  const words = text === '' ? files.map(({ fileName }) => fileName).join('\n') : text
  const message = await replyToMessage(call, subjectId, `${cleanText(words, MAX_MESSAGE - note.length)}${note}`)
  for (const file of accepted) await attachStoredFile(call, message.id, file)
  if (refused.length > 0) await mailRefusedFiles(call, { messageId: message.id, to: from, refused })
}
