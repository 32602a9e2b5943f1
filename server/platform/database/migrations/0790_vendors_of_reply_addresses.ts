import { type Kysely, sql } from 'kysely'

/**
 * Adds the vendor to which the address belongs. Without it, another vendor with the same message could reply to the
 * address. The service ignores existing addresses.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "mailReplyAddresses" add column "vendorId" text collate "C"`.execute(db)
}
