import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { MessageTemplate, MessageTemplateKind, VendorLanguage } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { declareRowType } from '../../../platform/resources/declaration.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { TEMPLATE_KINDS } from './default-templates.ts'
import {
  type CustomWording,
  getEffectiveWording,
  type LocalizedWording,
  toMessageTemplate,
} from './message-template.ts'

/** The wording of the builder. If `body` is null, the default wording applies. */
export interface MessageTemplateRow extends Omit<MessageTemplate, 'body' | 'isDefault' | 'placeholders'> {
  body: string | null
}

export const { list, find, findAll, lock, update } = defineResource({
  schema: 'MessageTemplate',
  row: declareRowType<MessageTemplateRow>(),
  toRecord: (_call, row) => toMessageTemplate(row),
  without: ['isDefault', 'placeholders'],
  stored: { body: 'text?' },
})

/** Returns the current wording of each of these kinds of emails in each language. */
export async function findWordings<Kind extends MessageTemplateKind>(
  { db, organizationId }: Tenant,
  kinds: readonly Kind[],
): Promise<Record<Kind, Record<VendorLanguage, LocalizedWording>>> {
  const requested = [...new Set(kinds)]
  const { rows } = await sql<CustomWording>`
    select "kind", "subject", "body", "spanishSubject", "spanishBody" from "messageTemplates"
    where "organizationId" = ${organizationId} and "kind" = any(${requested}::text[])`.execute(db)
  const own = new Map(rows.map((row) => [row.kind, row]))
  const nothing = { subject: null, body: null, spanishSubject: null, spanishBody: null }
  return Object.fromEntries(
    requested.map((kind) => {
      const custom = { ...nothing, ...own.get(kind), kind }
      return [kind, { en: getEffectiveWording(custom, 'en'), es: getEffectiveWording(custom, 'es') }]
    }),
  ) as Record<Kind, Record<VendorLanguage, LocalizedWording>>
}

/** Creates the templates of a new organization, with the default wording. */
export async function insertInitialTemplates(db: Db, organizationId: string, now: Date): Promise<void> {
  // Lists return the newest ID first, so descending IDs result in the order of the API contract.
  const ids = TEMPLATE_KINDS.map(() => typeid('mtp').toString())
    .sort()
    .reverse()
  await sql`
    insert into "messageTemplates" ("organizationId", "id", "kind", "version", "createdBy", "createdAt", "updatedAt")
    select o."id", n."id", n."kind", 1, '{"type": "system", "id": null}'::jsonb, ${now}::timestamptz, ${now}::timestamptz
    from "organizations" as o cross join unnest(${ids}::text[], ${[...TEMPLATE_KINDS]}::text[]) as n ("id", "kind")
    where o."id" = ${organizationId}`.execute(db)
}
