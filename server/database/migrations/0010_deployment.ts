import { type Kysely, sql } from 'kysely'

// One row about the deployment as a whole: which encryption key it was set up with, and the key itself where the operator
// named none.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "deployment" (
      "id" boolean primary key default true check ("id"),
      "encryptionKeyDigest" text not null,
      "encryptionKey" text
    )`.execute(db)
}
