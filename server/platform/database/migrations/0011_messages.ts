import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "messages" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "threadId" text collate "C",
      "subject" text,
      "body" text not null,
      "channel" text not null check ("channel" in ('in_app', 'email', 'sms')),
      "sender" jsonb not null,
      "recipients" jsonb not null,
      "relatedTo" jsonb,
      "inReplyToId" text collate "C",
      "status" text not null check ("status" in ('draft', 'queued', 'sent', 'delivered', 'failed')),
      "sentAt" timestamptz(3),
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "messages_threadId_fkey" foreign key ("organizationId", "threadId") references "messages" ("organizationId", "id"),
      constraint "messages_inReplyToId_fkey" foreign key ("organizationId", "inReplyToId") references "messages" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "messages_updatedAt" on "messages" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "messages_threadId" on "messages" ("organizationId", "threadId", "id")`.execute(db)
  await sql`create index "messages_relatedTo" on "messages" ("organizationId", ("relatedTo"->>'id'), "id")`.execute(db)
  // This index finds messages by recipient.
  await sql`create index "messages_recipients" on "messages" using gin ("recipients" jsonb_path_ops)`.execute(db)
}
