import type { Message, PortalMessage, PortalMessageInput } from '../../../client/contract.gen.ts'
import * as requests from '../../domain/bidding/bid-requests/queries.ts'
import { type Addressee, listRoleHolders, MAX_RECIPIENTS, toAddressee } from '../../domain/messages/message.ts'
import * as messages from '../../domain/messages/queries.ts'
import { updateReadMark } from '../../domain/messages/read-marks.ts'
import { sendMessage } from '../../domain/messages/send-message.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import { conflict, notFound, Problem, unknownReference, validationFailed } from '../../platform/problems/problem.ts'
import { formatRetryAdvice } from '../../platform/values/format.ts'
import * as portal from './queries.ts'

/** Returns a message between the vendor and the builder. */
export async function readMessage(call: Call, id: string): Promise<PortalMessage> {
  const boxed = await portal.findMailboxEntry(call, id, portal.getMessageFilter(call.principal))
  if (boxed === undefined) throw notFound()
  return toPortalMessage(await messages.find(call, id), boxed)
}

export async function recordMessageRead(call: WriteCall, id: string): Promise<void> {
  const boxed = await portal.findMailboxEntry(call, id, portal.getMessageFilter(call.principal))
  if (boxed === undefined) throw unknownReference(['/messageId'])
  if (boxed.isOwn || boxed.readAt !== null) return
  await updateReadMark(call, await messages.lock(call, id), String(call.principal.id), true)
}

/** The maximum number of messages per hour, because people must read each message. */
const MAX_PER_HOUR = 20
const HOUR_MS = 3_600_000

/** Starts a thread with a question about an invitation or with a message to the builder's office. */
export async function sendPortalMessage(
  call: Call,
  { invitationId, subject, body }: PortalMessageInput,
): Promise<PortalMessage> {
  return call.write(async (call) => {
    const { id, subjectId } = call.principal
    if (invitationId === undefined && subjectId !== id) {
      const message = 'is required for a link to one invitation'
      throw validationFailed([{ pointer: '/invitationId', code: 'required', message }])
    }
    await countMessage(call)
    if (invitationId === undefined) {
      const to = await findRecipients(call, [])
      const written = { channel: 'email' as const, subject: subject ?? null, body, to }
      return toOwn(await sendMessage(call, { ...written, relatedTo: null, inReplyTo: null }))
    }
    const invitation = await portal.findVisibleInvitation(call, invitationId)
    if (invitation === undefined) throw unknownReference(['/invitationId'])
    const request = await requests.find(call, invitation.bidRequestId)
    const to = await findRecipients(call, [await findUserOf(call, request.createdBy)])
    const sent = await sendMessage(call, {
      ...{ channel: 'email', subject: subject ?? request.title ?? request.number, body, to, inReplyTo: null },
      relatedTo: { type: 'bid_request', id: request.id },
    })
    return toOwn(sent)
  })
}

export async function replyToMessage(call: Call, id: string, body: string): Promise<PortalMessage> {
  return call.write(async (call) => {
    if ((await portal.findMailboxEntry(call, id, portal.getMessageFilter(call.principal))) === undefined)
      throw notFound()
    await countMessage(call)
    const inReplyTo = await messages.find(call, id)
    const { sender, recipients, relatedTo } = inReplyTo
    const written = recipients.filter(({ type }) => type === 'user' && sender.type === 'vendor').map(({ id }) => id)
    const to = await findRecipients(call, [...written, await findUserOf(call, sender)])
    return toOwn(await sendMessage(call, { channel: 'email', subject: null, body, to, relatedTo, inReplyTo }))
  })
}

/** Counts a message of the vendor. Throws `too_many_answers` if the vendor has already sent the maximum number. */
async function countMessage(call: WriteCall): Promise<void> {
  // Locks the vendor, so that concurrent messages are counted one after another.
  const vendor = await vendors.lock(call, String(call.principal.id))
  const since = new Date(call.now.getTime() - HOUR_MS)
  const written = await portal.listMessageTimesSince(call, vendor.id, since, MAX_PER_HOUR)
  if (written[0] === undefined || written.length < MAX_PER_HOUR) return
  const seconds = Math.max(Math.ceil((Date.parse(written[0]) + HOUR_MS - call.now.getTime()) / 1000), 1)
  const detail = `You can send at most ${MAX_PER_HOUR} messages per hour. ${formatRetryAdvice(seconds)}`
  throw new Problem('too_many_answers', detail, {}, { 'Retry-After': String(seconds) })
}

/** Returns the ID of the user who acted, directly or through an API key; null if it was not a user. */
async function findUserOf(call: WriteCall, { type, id }: { type: string; id: string | null }): Promise<string | null> {
  if (id === null) return null
  if (type === 'key') return messages.findKeyOwner(call, id)
  return type === 'user' ? id : null
}

/**
 * Filters the given users and returns the active ones. If there are none, returns the owners and admins. Throws
 * `no_recipient` if there are no owners and admins either.
 */
async function findRecipients(call: WriteCall, ids: readonly (string | null)[]): Promise<Addressee[]> {
  const people = await messages.listMessageUsers(call)
  const known = people.filter(({ id, status }) => ids.includes(id) && status !== 'disabled').map(toAddressee)
  const to = (known.length > 0 ? known : listRoleHolders(['owner', 'admin'], people)).slice(0, MAX_RECIPIENTS)
  if (to.length === 0)
    throw conflict('no_recipient', 'Cannot send the message: the builder has no active user who can receive it.')
  return to
}

function toOwn(message: Message): PortalMessage {
  return toPortalMessage(message, { isOwn: true, readAt: null })
}

function toPortalMessage(
  { id, threadId, subject, body, sentAt }: Message,
  { isOwn, readAt }: portal.MailboxEntry,
): PortalMessage {
  return { id, isOwn, readAt, content: { threadId, subject, body, sentAt } }
}
