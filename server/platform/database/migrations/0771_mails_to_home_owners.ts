import { type Kysely, sql } from 'kysely'

/**
 * Adds the home owner who receives an email, so that a message to an owner can show whether its email was sent.
 * Existing rows keep null, because emails are deleted after 30 days.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "mails" add column "homeOwnerId" text collate "C"`.execute(db)
}
