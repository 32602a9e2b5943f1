import type { Message, PortalMessage } from '../../../client/contract.gen.ts'
import { listRoleHolders, MAX_RECIPIENTS, toAddressee } from '../../domain/messages/message.ts'
import * as messages from '../../domain/messages/queries.ts'
import { markRead } from '../../domain/messages/read-marks.ts'
import { sendMessage } from '../../domain/messages/send-message.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import { conflict, notFound, Problem, unknownReference } from '../../platform/problems/problem.ts'
import * as portal from './queries.ts'

/** Lets a vendor read the messages that it receives, and reply. */
export async function readMessage(call: Call, id: string): Promise<PortalMessage> {
  const boxed = await portal.findMailboxEntry(call, id, portal.messageFilter(call.principal))
  if (boxed === undefined) throw notFound()
  return toPortalMessage(await messages.find(call, id), boxed)
}

export async function recordReading(call: WriteCall, id: string): Promise<void> {
  const boxed = await portal.findMailboxEntry(call, id, portal.messageFilter(call.principal))
  if (boxed === undefined) throw unknownReference(['/messageId'])
  if (boxed.isOwn || boxed.readAt !== null) return
  await markRead(call, await messages.lock(call, id), String(call.principal.id), true)
}

/** A user has to read each message, so only this many per hour are accepted. */
const MAX_PER_HOUR = 20
const HOUR_MS = 3_600_000

export async function answerMessage(call: Call, id: string, body: string): Promise<PortalMessage> {
  return call.write(async (call) => {
    if ((await portal.findMailboxEntry(call, id, portal.messageFilter(call.principal))) === undefined) throw notFound()
    // Locked, so that concurrent messages are counted one after the other.
    const vendor = await vendors.lock(call, String(call.principal.id))
    const inReplyTo = await messages.find(call, id)
    const since = new Date(call.now.getTime() - HOUR_MS)
    const written = await portal.listMessageTimesSince(call, vendor.id, since, MAX_PER_HOUR)
    if (written[0] !== undefined && written.length >= MAX_PER_HOUR) {
      const seconds = Math.ceil((Date.parse(written[0]) + HOUR_MS - call.now.getTime()) / 1000)
      const detail = `Message limit exceeded: at most ${MAX_PER_HOUR} messages per hour.`
      throw new Problem('too_many_answers', detail, {}, { 'Retry-After': String(Math.max(seconds, 1)) })
    }
    const to = (await findReplyRecipients(call, inReplyTo)).slice(0, MAX_RECIPIENTS)
    if (to.length === 0)
      throw conflict('no_recipient', 'Cannot send the message: the builder has no active user who can receive it.')
    const { relatedTo } = inReplyTo
    const answer = await sendMessage(call, { channel: 'email', subject: null, body, to, relatedTo, inReplyTo })
    return toPortalMessage(answer, { isOwn: true, readAt: null })
  })
}

/**
 * Returns the user who sent the message, directly or with a key, or to whom the vendor wrote; otherwise the owners and
 * admins.
 */
async function findReplyRecipients(call: WriteCall, { sender, recipients }: Message) {
  const ids = recipients.filter(({ type }) => type === 'user' && sender.type === 'vendor').map(({ id }) => id)
  if (sender.type === 'user' && sender.id !== null) ids.push(sender.id)
  if (sender.type === 'key' && sender.id !== null) ids.push(await messages.findKeyOwner(call, sender.id))
  const people = await messages.listPeople(call)
  const known = people.filter(({ id, status }) => ids.includes(id) && status !== 'disabled').map(toAddressee)
  return known.length > 0 ? known : listRoleHolders(['owner', 'admin'], people)
}

function toPortalMessage(
  { id, threadId, subject, body, sentAt }: Message,
  { isOwn, readAt }: portal.MailboxEntry,
): PortalMessage {
  return { id, isOwn, readAt, content: { threadId, subject, body, sentAt } }
}
