import { type Kysely, sql } from 'kysely'

/** Users refer to a bid request by its title, so skills can now find it by its title. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "bidRequests_title" on "bidRequests" ("organizationId", "title", "id") where "title" is not null`.execute(
    db,
  )
}
