import { type Kysely, sql } from 'kysely'

/** Several users may change settings concurrently, so the settings have a version. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "version" integer not null default 1`.execute(db)
}
