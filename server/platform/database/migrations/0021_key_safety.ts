import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Addresses and ranges that a key may be used from; null means any.
  await sql`alter table "apiKeys" add column "allowedAddresses" text[]`.execute(db)

  // During a rotation of the deployment's encryption key there are two. Every process knows the new key as the next one
  // before anything is encrypted with it, and the old key as the previous one until nothing is encrypted with it any
  // longer.
  await sql`
    alter table "deployment" add column "nextEncryptionKey" text, add column "previousEncryptionKey" text`.execute(db)
}
