import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { MessageTemplate, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { rowOf } from '../../../platform/resources/declared.ts'
import { resource } from '../../../platform/resources/resource.ts'
import { KINDS, type Wording } from './defaults.ts'
import { inUse, shown } from './template.ts'

/** What the builder has worded itself; without a body nothing. */
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

/** The words that are in use for each of these kinds. */
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

/** The templates of a new organization, which has worded nothing yet. */
export async function insertFirst(db: Db, organizationId: string, now: Date): Promise<void> {
  // Lists begin with the newest id, and so they have the order of the contract.
  const ids = KINDS.map(() => typeid('mtp').toString())
    .sort()
    .reverse()
  await sql`
    insert into "messageTemplates" ("organizationId", "id", "kind", "version", "createdBy", "createdAt", "updatedAt")
    select ${organizationId}, n."id", n."kind", 1, '{"type": "system", "id": null}', ${now}::timestamptz, ${now}::timestamptz
    from unnest(${ids}::text[], ${[...KINDS]}::text[]) as n ("id", "kind")`.execute(db)
}
