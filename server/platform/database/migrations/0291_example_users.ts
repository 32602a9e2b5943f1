import { type Kysely, sql } from 'kysely'

/** Example users in a sandbox, with which nobody can sign in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "users" add column "isExample" boolean not null default false`.execute(db)
}
