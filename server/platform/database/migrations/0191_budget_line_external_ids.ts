import { type Kysely, sql } from 'kysely'

/** An estimating or accounting system finds its budget lines by its own IDs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "budgetLines" add column "externalId" text`.execute(db)
  await sql`
    create unique index "budgetLines_externalId_key" on "budgetLines" ("organizationId", "externalId")
    where "externalId" is not null`.execute(db)
}
