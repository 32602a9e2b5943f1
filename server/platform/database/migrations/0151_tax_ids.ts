import { type Kysely, sql } from 'kysely'

/** Adds the encrypted tax IDs of vendors, and exemptions from Form 1099. No existing vendor is exempt. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendors" add column "taxIdLast4" text, add column "sealedTaxId" text,
      add column "is1099" boolean not null default true`.execute(db)
}
