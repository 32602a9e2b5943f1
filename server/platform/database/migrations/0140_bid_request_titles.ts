import { type Kysely, sql } from 'kysely'

/** People refer to a bid request by its title, and skills find it by that. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "bidRequests_title" on "bidRequests" ("organizationId", "title", "id") where "title" is not null`.execute(
    db,
  )
}
