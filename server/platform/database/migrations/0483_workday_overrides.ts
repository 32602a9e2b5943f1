import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "tasks" add column "workdayOverride" boolean not null default false`.execute(db)
}
