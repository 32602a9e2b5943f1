import { type Kysely, sql } from 'kysely'

/** Adds alternates to bids, in addition to their lines. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "bids" add column "alternates" jsonb not null default '[]'`.execute(db)
}
