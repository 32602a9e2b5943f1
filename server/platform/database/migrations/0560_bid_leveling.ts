import { type Kysely, sql } from 'kysely'

/** The builder's amounts for the parts of a bid that cannot be compared. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "bids" add column "leveling" jsonb not null default '[]'`.execute(db)
}
