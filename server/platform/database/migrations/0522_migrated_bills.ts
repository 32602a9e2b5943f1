import { type Kysely, sql } from 'kysely'

/** Bills for the work that a migrated order had completed in the other system, whose books have the invoices. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "bills" add column "migrated" boolean not null default false`.execute(db)
}
