import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "tasks" add column "startDelayDays" integer not null default 0`.execute(db)
}
