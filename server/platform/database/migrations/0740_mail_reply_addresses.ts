import { type Kysely, sql } from 'kysely'

/**
 * Adds the addresses to which vendors reply by email. The address of an email contains a token, which is stored only as a
 * hash once the email is sent. A reply is assigned by the token before its builder is known, so the hash is the key.
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
