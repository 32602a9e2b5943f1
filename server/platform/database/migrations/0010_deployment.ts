import { type Kysely, sql } from 'kysely'

// A single row about the deployment. The row identifies the encryption key with which the deployment was set up, and
// contains the key itself if the operator did not provide one.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "deployment" (
      "id" boolean primary key default true check ("id"),
      "encryptionKeyDigest" text not null,
      "encryptionKey" text
    )`.execute(db)
}
