import { type Kysely, sql } from 'kysely'

/** Users of the example in a sandbox, as whom nobody can sign in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "users" add column "isExample" boolean not null default false`.execute(db)
}
