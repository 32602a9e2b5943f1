import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The IP addresses and address ranges from which a key can be used; null for all addresses.
  await sql`alter table "apiKeys" add column "allowedAddresses" text[]`.execute(db)

  // During a rotation of the encryption key, the deployment has two keys. All processes know the new key as the next
  // key before any data is encrypted with it. They know the old key as the previous key as long as any data is
  // encrypted with it.
  await sql`
    alter table "deployment" add column "nextEncryptionKey" text, add column "previousEncryptionKey" text`.execute(db)
}
