import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "communities"
      add column "workdays" jsonb not null default '[1, 2, 3, 4, 5]',
      add column "holidays" text[] collate "C" not null default '{}'`.execute(db)
  await sql`alter table "communities" alter column "workdays" drop default, alter column "holidays" drop default`.execute(
    db,
  )
}
