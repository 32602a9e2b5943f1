import type { Message, MessageAbout } from '../../../client/contract.gen.ts'
import { recordEvent } from '../../events/record.ts'
import type { WriteCall } from '../../http/call.ts'
import type { Person } from './message.ts'
import * as messages from './queries.ts'

export interface Outgoing {
  subject: string | null
  body: string
  to: readonly Person[]
  relatedTo: MessageAbout | null
  /** The message that it replies to. */
  inReplyTo: Message | null
}

/**
 * Sends a message, whoever asks for it: stores it and emits its event. Messages stay inside Plumbline, where storing
 * one delivers it, so there is no queue.
 */
export async function send(call: WriteCall, outgoing: Outgoing): Promise<Message> {
  const { subject, body, to, relatedTo, inReplyTo } = outgoing
  const now = call.now.toISOString()
  const message = await messages.insert(call, {
    threadId: inReplyTo === null ? null : (inReplyTo.threadId ?? inReplyTo.id),
    subject,
    body,
    channel: 'in_app',
    sender: call.actor,
    recipients: to.map(({ id }) => ({
      ...{ type: 'user', id },
      ...{ deliveryStatus: 'delivered', deliveredAt: now, readAt: null },
    })),
    relatedTo,
    inReplyToId: inReplyTo?.id ?? null,
    status: 'delivered',
    sentAt: now,
  })
  await recordEvent(call, 'message.sent', message)
  return message
}
