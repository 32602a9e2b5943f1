import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Addresses and address ranges from which a key may be used; null means any address.
  await sql`alter table "apiKeys" add column "allowedAddresses" text[]`.execute(db)

  // During a rotation, the deployment has two encryption keys. Before any data is encrypted with the new key, every
  // process knows it as the next key. As long as any data is encrypted with the old key, every process knows it as the
  // previous key.
  await sql`
    alter table "deployment" add column "nextEncryptionKey" text, add column "previousEncryptionKey" text`.execute(db)
}
