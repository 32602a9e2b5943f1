import { type Kysely, sql } from 'kysely'

/** Adds the lien waivers that vendors sign for their payments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "vendors" add column "lienWaiverRequired" boolean not null default false`.execute(db)
  await sql`alter table "vendors" alter column "lienWaiverRequired" drop default`.execute(db)
  await sql`
    create table "lienWaivers" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "paymentId" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "homeId" text collate "C",
      "poId" text collate "C",
      "waiverType" text not null,
      "status" text not null,
      "throughDate" date not null,
      "amount" numeric(14,2) not null,
      "currency" text not null,
      "exceptions" text,
      "text" text not null,
      "textSha256" text,
      "signedBy" text,
      "signedOn" date,
      "signedVia" text,
      "bytes" integer not null generated always as (octet_length("text") + coalesce(octet_length("exceptions"), 0)) stored,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "lienWaivers_paymentId_fkey" foreign key ("organizationId", "paymentId") references "payments" ("organizationId", "id"),
      constraint "lienWaivers_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "lienWaivers_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "lienWaivers_poId_fkey" foreign key ("organizationId", "poId") references "purchaseOrders" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "lienWaivers_updatedAt" on "lienWaivers" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "lienWaivers_paymentId" on "lienWaivers" ("organizationId", "paymentId", "id")`.execute(db)
  await sql`create index "lienWaivers_vendorId" on "lienWaivers" ("organizationId", "vendorId", "id")`.execute(db)
  await sql`create index "lienWaivers_status" on "lienWaivers" ("organizationId", "status", "id")`.execute(db)
  await sql`create index "lienWaivers_waiverType" on "lienWaivers" ("organizationId", "waiverType", "status", "id")`.execute(
    db,
  )
  await sql`create index "lienWaivers_homeId" on "lienWaivers" ("organizationId", "homeId", "id") where "homeId" is not null`.execute(
    db,
  )
  await sql`create index "lienWaivers_poId" on "lienWaivers" ("organizationId", "poId", "id") where "poId" is not null`.execute(
    db,
  )
  // A payment has at most one active lien waiver of each type.
  await sql`create unique index "lienWaivers_standing_key" on "lienWaivers" ("organizationId", "paymentId", "waiverType") where "status" in ('requested', 'signed', 'accepted')`.execute(
    db,
  )
}
