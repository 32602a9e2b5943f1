import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The last assigned number, with one row for each organization. Locking the row prevents concurrent assignments. A
  // rollback restores the number, so there are no gaps.
  await sql`
    create table "bidRequestNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)

  await sql`
    create table "bidRequests" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text not null,
      "title" text,
      "status" text not null,
      "scope" text not null,
      "deadline" date not null,
      "deadlineAt" timestamptz(3) not null,
      "communityId" text collate "C" not null,
      "homeIds" text[] not null,
      "message" text,
      "lines" jsonb not null,
      "bidType" text not null,
      "blind" boolean not null,
      "acceptLate" boolean not null,
      "awardMode" text not null,
      "inclusions" text,
      "exclusions" text,
      "externalId" text,
      "sentAt" timestamptz(3),
      "closedAt" timestamptz(3),
      "cancelReason" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "bidRequests_number_key" unique ("organizationId", "number"),
      constraint "bidRequests_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "bidRequests_updatedAt" on "bidRequests" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "bidRequests_deadline" on "bidRequests" ("organizationId", "deadline", "id")`.execute(db)
  await sql`create index "bidRequests_communityId" on "bidRequests" ("organizationId", "communityId", "id")`.execute(db)
  await sql`create unique index "bidRequests_externalId_key" on "bidRequests" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  // This small index finds the next bid request to close among all organizations.
  await sql`create index "bidRequests_due" on "bidRequests" ("deadlineAt") where "status" = 'sent'`.execute(db)

  await sql`
    create table "invitations" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "bidRequestId" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "status" text not null,
      "sentAt" timestamptz(3),
      "viewedAt" timestamptz(3),
      "respondedAt" timestamptz(3),
      "declineReason" text,
      "remindersSent" integer not null default 0,
      "version" integer not null default 1,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "invitations_vendorId_key" unique ("organizationId", "bidRequestId", "vendorId"),
      constraint "invitations_bidRequestId_fkey" foreign key ("organizationId", "bidRequestId") references "bidRequests" ("organizationId", "id"),
      constraint "invitations_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "invitations_bidRequestId" on "invitations" ("organizationId", "bidRequestId", "id")`.execute(
    db,
  )
  await sql`create index "invitations_updatedAt" on "invitations" ("organizationId", "bidRequestId", "updatedAt", "id")`.execute(
    db,
  )
  await sql`create index "invitations_vendorId" on "invitations" ("organizationId", "vendorId", "id")`.execute(db)
}
