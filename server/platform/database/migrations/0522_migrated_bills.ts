import { type Kysely, sql } from 'kysely'

/**
 * Marks bills for work that a migrated order had completed in the other system. The accounting system already has their
 * invoices.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "bills" add column "migrated" boolean not null default false`.execute(db)
}
