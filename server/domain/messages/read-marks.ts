import type { Message } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import * as messages from './queries.ts'

/** Marks a locked message as read or unread for one recipient. Does nothing if the message already has this state. */
export async function updateReadMark(
  call: WriteCall,
  before: Message,
  recipientId: string,
  isRead: boolean,
): Promise<Message> {
  const readAt = isRead ? call.now.toISOString() : null
  const recipients = before.recipients.map((recipient) =>
    recipient.id === recipientId && (recipient.readAt === null) === isRead ? { ...recipient, readAt } : recipient,
  )
  const after = await messages.update(call, before, { recipients })
  if (after.version !== before.version) await messages.storeReadAt(call, before.id, recipientId, readAt)
  return after
}
