import { type Kysely, sql } from 'kysely'

/** Estimating and accounting systems find budget lines by the IDs of these systems. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "budgetLines" add column "externalId" text`.execute(db)
  await sql`
    create unique index "budgetLines_externalId_key" on "budgetLines" ("organizationId", "externalId")
    where "externalId" is not null`.execute(db)
}
