import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "costCodes" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "code" text not null,
      "name" text not null,
      "parentId" text collate "C",
      "category" text not null,
      "scope" text,
      "accountingId" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "costCodes_parentId_fkey" foreign key ("organizationId", "parentId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "costCodes_updatedAt" on "costCodes" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "costCodes_code" on "costCodes" ("organizationId", "code", "id")`.execute(db)
  await sql`create index "costCodes_parentId" on "costCodes" ("organizationId", "parentId", "id")`.execute(db)
  await sql`create unique index "costCodes_code_key" on "costCodes" ("organizationId", "code") where "archivedAt" is null`.execute(
    db,
  )
  await sql`create unique index "costCodes_externalId_key" on "costCodes" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  await sql`create index "costCodes_accountingId" on "costCodes" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )

  await sql`
    alter table "scopes" add column "defaultCostCodeId" text collate "C",
      add constraint "scopes_defaultCostCodeId_fkey"
        foreign key ("organizationId", "defaultCostCodeId") references "costCodes" ("organizationId", "id")`.execute(db)
  await sql`create index "scopes_defaultCostCodeId" on "scopes" ("organizationId", "defaultCostCodeId") where "defaultCostCodeId" is not null`.execute(
    db,
  )
}
