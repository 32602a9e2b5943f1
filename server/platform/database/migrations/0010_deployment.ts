import { type Kysely, sql } from 'kysely'

// A single row about the deployment: which encryption key it was set up with, and the key itself if the operator did
// not provide one.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "deployment" (
      "id" boolean primary key default true check ("id"),
      "encryptionKeyDigest" text not null,
      "encryptionKey" text
    )`.execute(db)
}
