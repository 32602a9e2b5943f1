import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "scopes" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "name" text not null,
      "version" integer not null default 1,
      "createdBy" json not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "scopes_name_key" on "scopes" ("organizationId", lower("name"))`.execute(db)
  await sql`create index "scopes_updatedAt" on "scopes" ("organizationId", "updatedAt", "id")`.execute(db)

  await sql`
    create table "vendors" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "companyName" text not null,
      "email" text,
      "phone" text,
      "scopes" text[] not null,
      "contactName" text,
      "accountingId" text,
      "externalId" text,
      "status" text not null,
      "portalStatus" text not null,
      "complianceStatus" text not null,
      "communityIds" text[] not null,
      "contacts" json not null,
      "address" json,
      "licenseNumber" text,
      "poLimit" numeric(14,2),
      "defaultRetainagePercent" numeric(5,2) not null,
      "version" integer not null,
      "createdBy" json not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "vendors_updatedAt" on "vendors" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "vendors_companyName" on "vendors" ("organizationId", "companyName", "id")`.execute(db)
  await sql`create unique index "vendors_externalId_key" on "vendors" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  await sql`create index "vendors_accountingId" on "vendors" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )
}
