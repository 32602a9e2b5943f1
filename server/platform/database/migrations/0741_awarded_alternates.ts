import { type Kysely, sql } from 'kysely'

/** Adds the alternates of a bid that were awarded with it, as positions in its list of alternates. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "bids" add column "awardedAlternates" jsonb`.execute(db)
}
