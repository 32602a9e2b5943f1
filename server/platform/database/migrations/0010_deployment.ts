import { type Kysely, sql } from 'kysely'

// A single row with data about the deployment. It identifies the encryption key of the deployment. If the operator has
// not provided a key, the row contains the key itself.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "deployment" (
      "id" boolean primary key default true check ("id"),
      "encryptionKeyDigest" text not null,
      "encryptionKey" text
    )`.execute(db)
}
