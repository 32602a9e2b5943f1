import { type Kysely, sql } from 'kysely'

/** Adds the alternates that were awarded with a bid, as positions in the bid's list of alternates. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "bids" add column "awardedAlternates" jsonb`.execute(db)
}
