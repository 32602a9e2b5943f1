import { type Kysely, sql } from 'kysely'

/**
 * When an app refreshes its access token, it can request fewer permissions. Null means all permissions of the grant.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "oauthTokens" add column "permissions" text[]`.execute(db)
}
