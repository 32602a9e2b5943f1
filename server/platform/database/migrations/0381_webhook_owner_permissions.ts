import { type Kysely, sql } from 'kysely'

/**
 * The permissions of the token that created or took over a subscription, if the token had fewer permissions than the
 * subscription's owner. A browser token has some permissions of its key, and a refreshed access token has some
 * permissions of its grant. Null if the token had all permissions of its owner.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "webhooks" add column "tokenPermissions" text[]`.execute(db)
}
