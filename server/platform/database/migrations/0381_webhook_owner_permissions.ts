import { type Kysely, sql } from 'kysely'

/**
 * The permissions of the token that created or took over a subscription, if it had fewer permissions than the owner of
 * the subscription. A browser token can have fewer permissions than its key, and a refreshed access token fewer
 * permissions than its grant. Null if the token had all permissions of the owner.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "webhooks" add column "tokenPermissions" text[]`.execute(db)
}
