import { type Kysely, sql } from 'kysely'

// "expiresAt" is the end of the day "validUntil" in the time zone of the community, so that expiration checks only
// compare timestamps.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "bids" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "bidRequestId" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "invitationId" text collate "C" not null,
      "homeId" text collate "C",
      "scope" text not null,
      "communityId" text collate "C" not null,
      "status" text not null,
      "source" text not null,
      "revision" integer not null,
      "amount" numeric(14,2) not null,
      "currency" text not null,
      "lines" jsonb not null,
      "inclusions" text,
      "exclusions" text,
      "leadTimeDays" integer,
      "durationDays" integer,
      "validUntil" date,
      "expiresAt" timestamptz(3),
      "awardedLineIds" text[],
      "submittedAt" timestamptz(3) not null,
      "decidedAt" timestamptz(3),
      "decidedBy" jsonb,
      "decisionReason" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "bids_bidRequestId_fkey" foreign key ("organizationId", "bidRequestId") references "bidRequests" ("organizationId", "id"),
      constraint "bids_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "bids_invitationId_fkey" foreign key ("organizationId", "invitationId") references "invitations" ("organizationId", "id"),
      constraint "bids_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "bids_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "bids_updatedAt" on "bids" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "bids_submittedAt" on "bids" ("organizationId", "submittedAt", "id")`.execute(db)
  await sql`create index "bids_bidRequestId" on "bids" ("organizationId", "bidRequestId", "id")`.execute(db)
  await sql`create index "bids_vendorId" on "bids" ("organizationId", "vendorId", "id")`.execute(db)
  await sql`create index "bids_homeId" on "bids" ("organizationId", "homeId", "id") where "homeId" is not null`.execute(
    db,
  )
  await sql`create unique index "bids_externalId_key" on "bids" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  // Each vendor has at most one live bid for the entire request, and one live bid for each of its homes.
  await sql`
    create unique index "bids_vendorId_key" on "bids" ("organizationId", "bidRequestId", "vendorId", coalesce("homeId", ''))
    where "status" in ('submitted', 'accepted')`.execute(db)
  // This small index finds the next bid to expire among all organizations.
  await sql`create index "bids_due" on "bids" ("expiresAt") where "status" = 'submitted' and "expiresAt" is not null`.execute(
    db,
  )
}
