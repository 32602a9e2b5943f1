import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "budgetTransfers" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "fromLineId" text collate "C" not null,
      "toLineId" text collate "C" not null,
      "amount" numeric(14,2) not null,
      "reason" text not null,
      "fromBudgetedBefore" numeric(14,2) not null,
      "fromBudgetedAfter" numeric(14,2) not null generated always as ("fromBudgetedBefore" - "amount") stored,
      "toBudgetedBefore" numeric(14,2) not null,
      "toBudgetedAfter" numeric(14,2) not null generated always as ("toBudgetedBefore" + "amount") stored,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "budgetTransfers_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "budgetTransfers_fromLineId_fkey" foreign key ("organizationId", "fromLineId") references "budgetLines" ("organizationId", "id"),
      constraint "budgetTransfers_toLineId_fkey" foreign key ("organizationId", "toLineId") references "budgetLines" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "budgetTransfers_homeId" on "budgetTransfers" ("organizationId", "homeId", "id")`.execute(db)
  await sql`create index "budgetTransfers_updatedAt" on "budgetTransfers" ("organizationId", "homeId", "updatedAt", "id")`.execute(
    db,
  )
  await sql`create index "budgetTransfers_fromLineId" on "budgetTransfers" ("organizationId", "fromLineId")`.execute(db)
  await sql`create index "budgetTransfers_toLineId" on "budgetTransfers" ("organizationId", "toLineId")`.execute(db)
  await sql`create unique index "budgetTransfers_externalId_key" on "budgetTransfers" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
