import { type Kysely, sql } from 'kysely'
import { typeid } from 'typeid-js'

/** The kinds of templates at the time of this migration, in the order of lists. */
const KINDS = [
  ...['message', 'portal_invitation', 'bid_invitation', 'bid_reminder', 'lien_waiver'],
  ...['advance', 'reminder', 'moved_earlier', 'postponed'],
  ...['lien_waiver_conditional_progress', 'lien_waiver_unconditional_progress'],
  ...['lien_waiver_conditional_final', 'lien_waiver_unconditional_final'],
]

/** Adds a builder's own texts of emails and lien waivers. If the body is null, the default text applies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "messageTemplates" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "kind" text not null,
      "subject" text,
      "body" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "messageTemplates_kind_key" unique ("organizationId", "kind")
    )`.execute(db)
  for (const column of ['createdAt', 'updatedAt', 'kind'] as const)
    await sql`
      create index ${sql.ref(`messageTemplates_${column}`)} on "messageTemplates" ("organizationId", ${sql.ref(column)}, "id")`.execute(
      db,
    )
  const { rows } = await sql<{ id: string }>`select "id" from "organizations"`.execute(db)
  for (const { id } of rows) {
    // Lists return the newest ID first.
    const ids = KINDS.map(() => typeid('mtp').toString())
      .sort()
      .reverse()
    await sql`
      insert into "messageTemplates" ("organizationId", "id", "kind", "version", "createdBy", "createdAt", "updatedAt")
      select ${id}, n."id", n."kind", 1, '{"type": "system", "id": null}', now(), now()
      from unnest(${ids}::text[], ${KINDS}::text[]) as n ("id", "kind")`.execute(db)
  }
}
