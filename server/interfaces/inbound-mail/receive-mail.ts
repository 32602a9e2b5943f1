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
import { createPageLocale } from '../portal/pages/words/page-locale.ts'
import { readPortalBid } from '../portal/portal-bid.ts'
import { requireVisibleInvitation } from '../portal/portal-invitation.ts'
import { replyToMessage, sendPortalMessage } from '../portal/portal-message.ts'
import { cleanText } from './clean-text.ts'
import { mailBiddingClosedNotice, saveMailedBid } from './draft-from-mail.ts'
import { type InboundMailBody, readAddress } from './inbound-mail.ts'
import { type MailedFile, runWithMailedFiles, type StoredMailedFile, storeMailedFiles } from './mailed-files.ts'
import { readNewText } from './new-text.ts'
import { keepWithinStorage, mailRefusedFiles, writeRefusals } from './refused-files.ts'
import { omitSignaturePictures } from './signature-pictures.ts'

/** The outcome of an email, for the log. If an email is ignored, its sender is not notified. */
export type MailOutcome =
  | 'draft_saved'
  | 'message_sent'
  | 'bidding_closed'
  | `ignored_${'automatic' | 'unknown_address' | 'unknown_sender' | 'no_link' | 'empty' | 'refused'}`

interface Origin {
  requestId: string
  address: string | null
}

/** A reply, with its subject record and the vendor that sent it. */
interface Reply extends FoundReplySubject {
  from: string
  text: string
}

const MAX_MESSAGE = 5000

/** The maximum number of files that are accepted from an email. */
const MAX_FILES = 20

/** The maximum number of files that a message lists as refused, so that the text of the vendor still fits. */
const MAX_NAMES = 6

/**
 * Receives a vendor's reply. Two addresses together identify the vendor: the secret address to which the reply was
 * sent, and the sender's address. The sender's address alone is not enough, because anyone can write a known address
 * into the From header.
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
    return await runWithMailedFiles(services.files, attached, (files) =>
      receiveOnce(call, mail.messageId, reply, files),
    )
  } catch (error) {
    if (error instanceof Problem && error.status < 500 && error.status !== 429) return 'ignored_refused'
    throw error
  }
}

/**
 * Returns whether the email is marked as a vacation notice or delivery report. If the service replied to such an email,
 * two programs could send each other emails forever.
 */
function isAutomatic({ autoSubmitted }: InboundMailBody): boolean {
  return autoSubmitted != null && !/^\s*no\b/i.test(autoSubmitted)
}

/**
 * Returns whether the sender's address belongs to the vendor that received the email. Without this check, another
 * recipient of the same email could write in the vendor's name.
 */
async function isSentByVendor(services: Services, { organizationId, vendorId }: FoundReplySubject, from: string) {
  const call = await createSystemCall(services, organizationId)
  const [vendor] = await vendors.findAll(call, [vendorId])
  if (vendor === undefined || vendor.archivedAt !== null || vendor.status === 'inactive') return false
  const addresses = [vendor.email, ...vendor.contacts.map(({ email }) => email)]
  return addresses.some((address) => address?.toLowerCase() === from)
}

/**
 * Creates a call on behalf of the vendor. Returns null if the builder has revoked the vendor's links, because a reply
 * must not bypass the revocation.
 */
async function createVendorCall(services: Services, { organizationId, subjectId, vendorId }: Reply, origin: Origin) {
  const system = await createSystemCall(services, organizationId)
  const isInvitation = subjectId.startsWith('inv_')
  const mayReply =
    (await hasPortalLink(system, { subjectId: vendorId, vendorId })) ||
    (isInvitation
      ? await hasPortalLink(system, { subjectId, vendorId })
      : // A vendor that never had a link can still receive messages.
        !(await hasRevokedLinks(system, vendorId)))
  if (!mayReply) return null
  const { organization } = system.principal
  const principal = toVendorPrincipal(organization, vendorId, isInvitation ? subjectId : vendorId)
  return createCall(services, { principal, ...origin })
}

/** Stores an email only once, even if the mail provider delivers it again. */
async function receiveOnce(
  call: Call,
  messageId: string,
  reply: Reply,
  files: readonly MailedFile[],
): Promise<MailOutcome> {
  const token = createHash('sha256').update(messageId.trim()).digest('base64url')
  const outcome = await runActionOnce(call, { token, operation: 'receiveMail', entries: null }, async (call) => {
    // Stores the files before the transaction. Storing a file needs a connection, and during a transaction the embedded
    // database has no other.
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
  // Locks the bid request, so that a draft that is saved at the same time is not overwritten.
  if (files.length > 0) await lockBidRequest(call, (await requireVisibleInvitation(call, invitationId)).bidRequestId)
  const bid = files.length === 0 ? null : await readPortalBid(call, invitationId)
  const mailed = { invitationId, from, text, files }
  if (bid?.canBid === true) {
    await saveMailedBid(call, bid, mailed)
    return 'draft_saved'
  }
  if (text !== '') await sendPortalMessage(call, { invitationId, body: text })
  if (bid === null) return 'message_sent'
  await mailBiddingClosedNotice(call, mailed)
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
