import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Addresses and ranges that a key may be used from; null means any.
  await sql`alter table "apiKeys" add column "allowedAddresses" text[]`.execute(db)

  // While the deployment changes its encryption key there is a second one. A key that is kept here is known to all
  // processes as the next one before anything is sealed with it, and as the previous one until nothing is sealed with it.
  await sql`
    alter table "deployment" add column "nextEncryptionKey" text, add column "previousEncryptionKey" text`.execute(db)
}
