import { type Kysely, sql } from 'kysely'

/** Example users in a sandbox. No one can sign in as these users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "users" add column "isExample" boolean not null default false`.execute(db)
}
