import { type Kysely, sql } from 'kysely'

/** Under which number vendors pay taxes, sealed, and who is exempt from Form 1099. Nobody was so far. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendors" add column "taxIdLast4" text, add column "sealedTaxId" text,
      add column "is1099" boolean not null default true`.execute(db)
}
