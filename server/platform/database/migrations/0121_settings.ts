import { type Kysely, sql } from 'kysely'

/** The settings have a version, because several users may change them concurrently. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "version" integer not null default 1`.execute(db)
}
