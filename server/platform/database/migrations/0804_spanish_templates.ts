import { type Kysely, sql } from 'kysely'

/** Adds Spanish texts to message templates. Templates that builders have changed get no Spanish text. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "messageTemplates" add column "spanishSubject" text`.execute(db)
  await sql`alter table "messageTemplates" add column "spanishBody" text`.execute(db)
}
