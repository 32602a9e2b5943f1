import { type Kysely, sql } from 'kysely'

/**
 * What is budgeted for a trade of a home is asked by orders, comparisons, scorecards and reports: by one look into an
 * index that has the amounts, instead of through all lines of the home.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "budgetLines_scope" on "budgetLines" ("organizationId", "homeId", lower("scope")) include ("budgeted", "scope")
    where "archivedAt" is null`.execute(db)
}
