import { type Kysely, sql } from 'kysely'

/** Adds the overtime rule and the first day of a builder's week, from 1 (Monday) to 7 (Sunday). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "organizations"
      add column "weekStartsOn" integer not null default 1 check ("weekStartsOn" between 1 and 7),
      add column "overtimeRule" jsonb not null
        default '{"weeklyAfterHours": 40, "dailyAfterHours": null, "multiplier": 1.5}'`.execute(db)
}
