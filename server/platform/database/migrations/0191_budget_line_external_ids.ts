import { type Kysely, sql } from 'kysely'

/** External IDs allow estimating and accounting systems to find budget lines by their own IDs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "budgetLines" add column "externalId" text`.execute(db)
  await sql`
    create unique index "budgetLines_externalId_key" on "budgetLines" ("organizationId", "externalId")
    where "externalId" is not null`.execute(db)
}
