import type { Message } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { recordEvent } from '../../platform/events/record-event.ts'
import { canSendMail, queueMails } from '../office/mail/queue-mails.ts'
import type { Addressee } from './message.ts'
import * as messages from './queries.ts'

export interface OutgoingMessage {
  channel: 'in_app' | 'email'
  subject: string | null
  body: string
  to: readonly Addressee[]
  relatedTo: Message['relatedTo']
  /** The message that this message answers; null if there is none. */
  inReplyTo: Message | null
}

/**
 * Sends a message for any caller: stores it, records its event, and adds it to the outbox if it is sent by email. A
 * message that is sent only in the app, or without a mail server, counts as delivered as soon as it is stored.
 */
export async function sendMessage(call: WriteCall, outgoing: OutgoingMessage): Promise<Message> {
  const { subject, body, to, relatedTo, inReplyTo } = outgoing
  const leaves = outgoing.channel === 'email' && canSendMail(call)
  const now = call.now.toISOString()
  const message = await messages.insert(call, {
    threadId: inReplyTo === null ? null : (inReplyTo.threadId ?? inReplyTo.id),
    subject,
    body,
    channel: leaves ? 'email' : 'in_app',
    sender: call.actor,
    recipients: to.map(({ type, id, addresses }) => ({
      ...{ type, id, readAt: null },
      // The service sends system messages to all recipients, even if a recipient has no address.
      ...(leaves && addresses.length > 0
        ? { deliveryStatus: 'queued', deliveredAt: null }
        : { deliveryStatus: 'delivered', deliveredAt: now }),
    })),
    relatedTo,
    inReplyToId: inReplyTo?.id ?? null,
    status: leaves ? 'sent' : 'delivered',
    sentAt: now,
  })
  await recordEvent(call, 'message.sent', message)
  if (!leaves) return message
  const values = { 'message.subject': subject ?? replySubject(inReplyTo) ?? takeFirstLine(body), 'message.body': body }
  await queueMails(
    call,
    to.map(({ type, id, name, addresses }) => ({
      ...{ kind: 'message', to: addresses, aboutId: message.id },
      ...(type === 'vendor' && { vendorId: id, replySubjectId: message.id }),
      ...(type === 'user' && { userId: id }),
      ...(type === 'home_owner' && { homeOwnerId: id }),
      values: () => ({ ...values, 'vendor.companyName': type === 'vendor' ? name : null }),
    })),
  )
  return message
}

function replySubject(inReplyTo: Message | null): string | null {
  return inReplyTo === null || inReplyTo.subject === null ? null : `Re: ${inReplyTo.subject}`
}

/** Long enough to distinguish messages in a list of emails. */
const MAX_LINE_LENGTH = 80

function takeFirstLine(body: string): string {
  return body.trim().split('\n', 1)[0]?.slice(0, MAX_LINE_LENGTH) ?? ''
}
