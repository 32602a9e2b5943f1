import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "budgetLines"
      add column "contractId" text collate "C",
      add constraint "budgetLines_contractId_fkey" foreign key ("organizationId", "contractId") references "contracts" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "budgetLines_contractId" on "budgetLines" ("organizationId", "contractId") where "contractId" is not null`.execute(
    db,
  )
}
