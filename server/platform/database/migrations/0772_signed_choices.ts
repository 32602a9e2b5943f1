import { type Kysely, sql } from 'kysely'

/** Adds the text and the signature of selections and changes that owners sign on their page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "selections" add column "signature" jsonb`.execute(db)
  await sql`alter table "buyerChanges" add column "signature" jsonb`.execute(db)
}
