import { type Kysely, sql } from 'kysely'

/**
 * Forms of the vendor portal that the service did not accept. The page can show them again with all entered values. The
 * ID is a hash of the portal link and the one-time token of the form. Rows are deleted after a day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "portalForms" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "content" jsonb not null,
      "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "portalForms_createdAt" on "portalForms" ("createdAt")`.execute(db)
}
