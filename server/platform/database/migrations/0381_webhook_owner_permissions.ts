import { type Kysely, sql } from 'kysely'

/**
 * The permissions of the token that created or took over a subscription, if narrower than those of its owner: a browser
 * token has some of its key's permissions, and a refreshed access token some of its grant's. Null means not narrower.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "webhooks" add column "tokenPermissions" text[]`.execute(db)
}
