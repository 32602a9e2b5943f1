import { type Kysely, sql } from 'kysely'

/** Adds alternates beside the lines of a bid. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "bids" add column "alternates" jsonb not null default '[]'`.execute(db)
}
