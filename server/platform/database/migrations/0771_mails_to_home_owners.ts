import { type Kysely, sql } from 'kysely'

/**
 * Adds the home owner who receives an email. Without this column, a message to a home owner could not show that its email
 * was sent. The oldest emails are deleted after 30 days, so existing rows keep null.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "mails" add column "homeOwnerId" text collate "C"`.execute(db)
}
