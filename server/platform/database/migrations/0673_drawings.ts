import { type Kysely, sql } from 'kysely'

/** Drawings of plans and homes, and the revisions with which each order was issued. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "drawings" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "planId" text collate "C",
      "homeId" text collate "C",
      "sheetNumber" text not null,
      "title" text not null,
      "discipline" text not null,
      "scopes" text[] not null,
      "currentRevision" integer,
      "revisions" jsonb not null,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      "bytes" integer not null generated always as (octet_length("revisions"::text)) stored,
      primary key ("organizationId", "id"),
      constraint "drawings_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id"),
      constraint "drawings_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id")
    )`.execute(db)
  for (const column of ['planId', 'homeId', 'discipline', 'createdAt', 'updatedAt'])
    await sql`
      create index ${sql.id(`drawings_${column}`)} on "drawings" ("organizationId", ${sql.id(column)}, "id")`.execute(
      db,
    )
  for (const column of ['planId', 'homeId'])
    await sql`
      create unique index ${sql.id(`drawings_${column}_sheetNumber_key`)} on "drawings" ("organizationId", ${sql.id(column)}, "sheetNumber")
      where ${sql.id(column)} is not null and "archivedAt" is null`.execute(db)
  await sql`
    create unique index "drawings_externalId_key" on "drawings" ("organizationId", "externalId")
    where "externalId" is not null`.execute(db)
  await sql`alter table "purchaseOrders" add column "drawings" jsonb not null default '[]'`.execute(db)
}
