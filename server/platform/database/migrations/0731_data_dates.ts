import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "tasks" add column "remainingDays" integer, add column "remainingAsOf" date`.execute(db)
  await sql`alter table "homes" add column "dataDate" date`.execute(db)
  await sql`alter table "organizations" add column "usesDataDate" boolean not null default true`.execute(db)
}
