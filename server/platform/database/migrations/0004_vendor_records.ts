import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The next date on which the compliance status of a vendor can change. The index contains only vendors with such a
  // date, so finding due vendors needs only one lookup.
  await sql`alter table "vendors" add column "complianceDueAt" timestamptz(3)`.execute(db)
  await sql`create index "vendors_complianceDueAt" on "vendors" ("complianceDueAt") where "complianceDueAt" is not null`.execute(
    db,
  )

  await sql`alter table "scopes" add column "code" text, add column "sequence" integer not null default 0`.execute(db)
  // The name of an archived trade can be used again.
  await sql`drop index "scopes_name_key"`.execute(db)
  await sql`create unique index "scopes_name_key" on "scopes" ("organizationId", lower("name")) where "archivedAt" is null`.execute(
    db,
  )
  await sql`create index "scopes_name" on "scopes" ("organizationId", "name", "id")`.execute(db)
  await sql`create index "scopes_sequence" on "scopes" ("organizationId", "sequence", "id")`.execute(db)

  await sql`
    create table "complianceDocuments" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "type" text not null,
      "status" text not null,
      "carrier" text,
      "policyNumber" text,
      "effectiveDate" date,
      "expirationDate" date,
      "limitAmount" numeric(14,2),
      "additionalInsured" boolean not null,
      "version" integer not null,
      "createdBy" json not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "complianceDocuments_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "complianceDocuments_vendorId" on "complianceDocuments" ("organizationId", "vendorId", "id")`.execute(
    db,
  )
  await sql`create index "complianceDocuments_updatedAt" on "complianceDocuments" ("organizationId", "vendorId", "updatedAt", "id")`.execute(
    db,
  )

  // The foreign key to the bid request is added after its table exists.
  await sql`
    create table "vendorNotifications" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "kind" text not null,
      "bidRequestId" text collate "C",
      "homeId" text collate "C",
      "date" date not null,
      "message" text,
      "recipients" text[] not null,
      "version" integer not null,
      "createdBy" json not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "vendorNotifications_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "vendorNotifications_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "vendorNotifications_vendorId" on "vendorNotifications" ("organizationId", "vendorId", "id")`.execute(
    db,
  )
  await sql`create index "vendorNotifications_updatedAt" on "vendorNotifications" ("organizationId", "vendorId", "updatedAt", "id")`.execute(
    db,
  )
}
