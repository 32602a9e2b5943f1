import { type RawBuilder, sql } from 'kysely'
import type { MessageSubjectType } from '../../../client/contract.gen.ts'
import type { Tenant } from '../../http/call.ts'
import { resource } from '../../resources/resource.ts'
import type { Person } from './message.ts'

export const { list, find, findAll, insert, assertExist } = resource({
  schema: 'Message',
  table: 'messages',
  prefix: 'msg',
  long: ['body', 'recipients'],
  filters: {
    recipientId: (id) =>
      `t."id" in (select r."messageId" from "messageRecipients" as r where r."organizationId" = $1 and r."recipientId" = ${id})`,
    relatedToId: (id) => `t."relatedToId" = ${id}`,
    // The first message of a thread has no threadId: its own id is the thread's.
    threadId: (id) => `(t."threadId" = ${id} or t."id" = ${id})`,
  },
})

/** The people of the organization, owners first. */
export async function people(call: Tenant): Promise<Person[]> {
  return call.db
    .selectFrom('users')
    .select(['id', 'name', 'role', 'status'])
    .where('organizationId', '=', call.organizationId)
    .orderBy(sql`"role" = 'owner'`, 'desc')
    .orderBy('id')
    .execute()
}

const TABLES: Record<MessageSubjectType, RawBuilder<unknown>> = {
  vendor: sql.table('vendors'),
  community: sql.table('communities'),
  home: sql.table('homes'),
  bid_request: sql.table('bidRequests'),
  bid: sql.table('bids'),
  purchase_order: sql.table('purchaseOrders'),
  webhook: sql.table('webhooks'),
}

/** Whether the resource that a message is about exists. */
export async function hasSubject(call: Tenant, subject: { type: MessageSubjectType; id: string }): Promise<boolean> {
  const { rows } = await sql`
    select from ${TABLES[subject.type]} where "organizationId" = ${call.organizationId} and "id" = ${subject.id}`.execute(
    call.db,
  )
  return rows.length > 0
}
