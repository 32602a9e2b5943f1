import { type Kysely, sql } from 'kysely'

/**
 * Adds the addresses to which vendors reply by email. The address contains the token of an email. After the email is
 * sent, only the hash of the token is stored. The hash is the primary key, because a reply is found by its token before
 * the builder is known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "mails" add column "replyToken" text`.execute(db)
  await sql`
    create table "mailReplyAddresses" (
      "hash" bytea primary key,
      "organizationId" text collate "C" not null,
      "subjectId" text collate "C" not null,
      "createdAt" timestamptz(3) not null
    )`.execute(db)
  await sql`
    create index "mailReplyAddresses_organizationId" on "mailReplyAddresses" ("organizationId", "hash")`.execute(db)
  await sql`create index "mailReplyAddresses_createdAt" on "mailReplyAddresses" ("createdAt")`.execute(db)
}
