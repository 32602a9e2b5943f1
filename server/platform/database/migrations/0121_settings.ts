import { type Kysely, sql } from 'kysely'

/** Settings are changed by people at the same time, so they have a version. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "version" integer not null default 1`.execute(db)
}
