import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { MessageTemplate, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { rowOf } from '../../../platform/resources/declared.ts'
import { resource } from '../../../platform/resources/resource.ts'
import { KINDS, type Wording } from './defaults.ts'
import { inUse, shown } from './template.ts'

/** The builder's own wording; none if `body` is null. */
export interface MessageTemplateRow extends Omit<MessageTemplate, 'body' | 'isDefault' | 'placeholders'> {
  body: string | null
}

export const { list, find, findAll, lock, update } = resource({
  schema: 'MessageTemplate',
  row: rowOf<MessageTemplateRow>(),
  toRecord: (_call, row) => shown(row),
  without: ['isDefault', 'placeholders'],
  stored: { body: 'text?' },
})

/** Returns the current wording of each of these kinds. */
export async function wordingsOf<Kind extends MessageTemplateKind>(
  { db, organizationId }: Tenant,
  kinds: readonly Kind[],
): Promise<Record<Kind, Wording>> {
  const wanted = [...new Set(kinds)]
  const { rows } = await sql<Pick<MessageTemplateRow, 'kind' | 'subject' | 'body'>>`
    select "kind", "subject", "body" from "messageTemplates"
    where "organizationId" = ${organizationId} and "kind" = any(${wanted}::text[])`.execute(db)
  const own = new Map(rows.map((row) => [row.kind, row]))
  const nothing = { subject: null, body: null }
  return Object.fromEntries(wanted.map((kind) => [kind, inUse({ ...nothing, ...own.get(kind), kind })])) as Record<
    Kind,
    Wording
  >
}

/** Creates the templates of a new organization, with the default wording. */
export async function insertFirst(db: Db, organizationId: string, now: Date): Promise<void> {
  // Lists return the newest ID first, so descending IDs give the contract's order.
  const ids = KINDS.map(() => typeid('mtp').toString())
    .sort()
    .reverse()
  await sql`
    insert into "messageTemplates" ("organizationId", "id", "kind", "version", "createdBy", "createdAt", "updatedAt")
    select ${organizationId}, n."id", n."kind", 1, '{"type": "system", "id": null}', ${now}::timestamptz, ${now}::timestamptz
    from unnest(${ids}::text[], ${[...KINDS]}::text[]) as n ("id", "kind")`.execute(db)
}
