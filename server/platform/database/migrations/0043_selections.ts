import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "selections" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "optionId" text collate "C",
      "customDescription" text,
      "quantity" numeric(14,4) not null,
      "unitPrice" numeric(14,4),
      "price" numeric(14,2),
      "priceBasis" text not null,
      "cost" numeric(14,2),
      "costBasis" text not null,
      "issues" jsonb not null,
      "allowanceAmount" numeric(14,2),
      "difference" numeric(14,2) generated always as ("price" - coalesce("allowanceAmount", 0)) stored,
      "color" text,
      "location" text,
      "scope" text,
      "costCodeId" text collate "C",
      "deadline" date,
      "externalId" text,
      "status" text not null,
      "approvedBy" jsonb,
      "approvedAt" timestamptz(3),
      "changePoId" text collate "C",
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "selections_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "selections_optionId_fkey" foreign key ("organizationId", "optionId") references "options" ("organizationId", "id"),
      constraint "selections_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "selections_updatedAt" on "selections" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "selections_homeId" on "selections" ("organizationId", "homeId", "id")`.execute(db)
  await sql`create index "selections_optionId" on "selections" ("organizationId", "optionId", "id") where "optionId" is not null`.execute(
    db,
  )
  await sql`create index "selections_status" on "selections" ("organizationId", "status", "id")`.execute(db)
  await sql`create index "selections_deadline" on "selections" ("organizationId", "deadline", "id") where "deadline" is not null`.execute(
    db,
  )
  await sql`create index "selections_costCodeId" on "selections" ("organizationId", "costCodeId") where "costCodeId" is not null`.execute(
    db,
  )
  // Each read sums the price of a home using only this index.
  await sql`
    create index "selections_difference" on "selections" ("organizationId", "homeId") include ("difference")
    where "status" in ('approved', 'ordered', 'installed')`.execute(db)
  await sql`create unique index "selections_externalId_key" on "selections" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  await sql`
    alter table "purchaseOrders" add column "optionSelectionId" text collate "C",
      add constraint "purchaseOrders_optionSelectionId_fkey"
        foreign key ("organizationId", "optionSelectionId") references "selections" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "purchaseOrders_optionSelectionId" on "purchaseOrders" ("organizationId", "optionSelectionId", "id") where "optionSelectionId" is not null`.execute(
    db,
  )

  await sql`
    alter table "budgetLines" add column "optionSelectionId" text collate "C",
      add constraint "budgetLines_optionSelectionId_fkey"
        foreign key ("organizationId", "optionSelectionId") references "selections" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "budgetLines_optionSelectionId" on "budgetLines" ("organizationId", "optionSelectionId") where "optionSelectionId" is not null`.execute(
    db,
  )
  // The key that identifies an estimated line in the next estimate. The key consists of the selection, whether the
  // selection adds or removes the line, and the takeoff line.
  await sql`alter table "budgetLines" add column "estimateKey" text collate "C"`.execute(db)
  await sql`update "budgetLines" set "estimateKey" = '+' || "takeoffLineId" where "source" = 'base'`.execute(db)
  await sql`drop index "budgetLines_takeoffLineId_key"`.execute(db)
  await sql`
    create unique index "budgetLines_estimateKey_key" on "budgetLines" ("organizationId", "homeId", "estimateKey")
    where "estimateKey" is not null`.execute(db)
}
