import { type Kysely, sql } from 'kysely'

/** Adds payment runs, and the columns for finding amounts that are due. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "paymentRunNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)
  await sql`
    create table "paymentRuns" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "throughDate" date not null,
      "communityId" text collate "C",
      "vendorIds" text[] not null,
      "method" text not null,
      "paymentIds" text[] not null,
      "amount" numeric(17,2) not null,
      "discountAmount" numeric(17,2) not null,
      "currency" text not null,
      "skipped" jsonb not null,
      "externalId" text,
      "bytes" integer not null generated always as (octet_length("skipped"::text)
        + 67 * (cardinality("vendorIds") + cardinality("paymentIds"))) stored,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "paymentRuns_number_key" unique ("organizationId", "number"),
      constraint "paymentRuns_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "paymentRuns_updatedAt" on "paymentRuns" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "paymentRuns_communityId" on "paymentRuns" ("organizationId", "communityId", "id") where "communityId" is not null`.execute(
    db,
  )
  await sql`create unique index "paymentRuns_externalId_key" on "paymentRuns" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  await sql`
    alter table "payments"
      add column "paymentRunId" text collate "C",
      add constraint "payments_paymentRunId_fkey" foreign key ("organizationId", "paymentRunId") references "paymentRuns" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "payments_paymentRunId" on "payments" ("organizationId", "paymentRunId", "id") where "paymentRunId" is not null`.execute(
    db,
  )
  // The time at which progress was last recorded, at which the vendor's payment terms start. For existing progress, no
  // better time is known.
  await sql`alter table "purchaseOrders" add column "progressedAt" timestamptz(3)`.execute(db)
  await sql`
    update "purchaseOrders" set "progressedAt" = coalesce("completedAt", "updatedAt") where "completedAmount" <> 0`.execute(
    db,
  )
  // Orders that may have payable amounts. Only a few orders are open at a time.
  await sql`
    create index "purchaseOrders_open" on "purchaseOrders" ("organizationId", "vendorId", "id")
      where "status" in ('issued', 'accepted', 'partially_completed', 'completed')`.execute(db)
}
