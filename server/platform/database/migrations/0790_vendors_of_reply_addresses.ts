import { type Kysely, sql } from 'kysely'

/**
 * Adds the vendor that received the address. Without this column, another vendor that received the same message could
 * reply to the address. The service ignores the addresses that were created before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "mailReplyAddresses" add column "vendorId" text collate "C"`.execute(db)
}
