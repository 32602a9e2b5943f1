import { type Kysely, sql } from 'kysely'

/** Users who belong to the example that a sandbox is filled with, as whom nobody signs in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "users" add column "isExample" boolean not null default false`.execute(db)
}
