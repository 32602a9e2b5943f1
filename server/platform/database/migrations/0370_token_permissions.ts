import { type Kysely, sql } from 'kysely'

/** An app may refresh its access token with a narrower scope. Null allows all actions that the grant allows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "oauthTokens" add column "permissions" text[]`.execute(db)
}
