import { type Kysely, sql } from 'kysely'

/**
 * What is budgeted for a trade of a home is asked by orders, comparisons, scorecards and reports: by one look into an
 * index that has the amounts, instead of through all lines of the home. The trade without its case is a column of its
 * own, because only texts that are stored are looked up behind the wall.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "budgetLines" add column "scopeKey" text collate "C" generated always as (lower("scope")) stored`.execute(db)
  await sql`
    create index "budgetLines_scope" on "budgetLines" ("organizationId", "homeId", "scopeKey") include ("budgeted", "scope")
    where "archivedAt" is null`.execute(db)
}
