import { type RawBuilder, sql } from 'kysely'
import type { MessageSubjectType } from '../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../platform/calls/call.ts'
import { defineResource } from '../../platform/resources/resource.ts'
import type { MessageUser } from './message.ts'

export const { list, find, findAll, lock, insert, update, assertExist } = defineResource({
  schema: 'Message',
  long: ['body', 'recipients'],
  filters: {
    recipientId: (id) =>
      `t."id" in (select r."messageId" from "messageRecipients" as r where r."organizationId" = $1 and r."recipientId" = ${id} and not r."isOwn")`,
    unreadBy: (id) =>
      `t."id" in (select r."messageId" from "messageRecipients" as r where r."organizationId" = $1 and r."recipientId" = ${id} and r."readAt" is null and not r."isOwn")`,
    relatedToId: (id) => `t."relatedToId" = ${id}`,
    // The first message of a thread has no threadId, because its own ID identifies the thread.
    threadId: (id) => `(t."threadId" = ${id} or t."id" = ${id})`,
  },
})

/** Returns all users of the organization, or only the users with these IDs. Owners are first. */
export async function listMessageUsers(call: Tenant, ids?: readonly string[]): Promise<MessageUser[]> {
  return call.db
    .selectFrom('users')
    .select(['id', 'name', 'email', 'role', 'status'])
    .where('organizationId', '=', call.organizationId)
    .$if(ids !== undefined, (query) => query.where('id', 'in', [...(ids ?? [])]))
    .orderBy(sql`"role" = 'owner'`, 'desc')
    .orderBy('id')
    .execute()
}

const SUBJECT_TABLES: Record<MessageSubjectType, RawBuilder<unknown>> = {
  vendor: sql.table('vendors'),
  community: sql.table('communities'),
  home: sql.table('homes'),
  bid_request: sql.table('bidRequests'),
  bid: sql.table('bids'),
  contract: sql.table('contracts'),
  task: sql.table('tasks'),
  milestone: sql.table('milestones'),
  purchase_order: sql.table('purchaseOrders'),
  webhook: sql.table('webhooks'),
}

/** Returns whether the subject of a message exists. */
export async function isExistingSubject(
  call: Tenant,
  subject: { type: MessageSubjectType; id: string },
): Promise<boolean> {
  const { rows } = await sql`
    select from ${SUBJECT_TABLES[subject.type]} where "organizationId" = ${call.organizationId} and "id" = ${subject.id}`.execute(
    call.db,
  )
  return rows.length > 0
}

/** Returns the ID of the user who created a key. The key acts for this user. */
export async function findKeyOwner(call: Tenant, keyId: string): Promise<string> {
  const { createdByUserId } = await call.db
    .selectFrom('apiKeys')
    .select('createdByUserId')
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow()
  return createdByUserId
}

/**
 * Stores the time at which a recipient read the message (null if unread) in the table from which unread messages are
 * found.
 */
export async function storeReadAt(
  call: WriteCall,
  messageId: string,
  recipientId: string,
  readAt: string | null,
): Promise<void> {
  await call.db
    .updateTable('messageRecipients')
    .set({ readAt })
    .where('organizationId', '=', call.organizationId)
    .where('recipientId', '=', recipientId)
    .where('messageId', '=', messageId)
    .execute()
}
