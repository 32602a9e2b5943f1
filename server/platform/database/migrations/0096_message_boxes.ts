import { type Kysely, sql } from 'kysely'

/**
 * Adds read marks, and the messages from vendors (previously, there were only messages to vendors). For a message from
 * a vendor, there is also a row for the vendor itself, so that all messages that the vendor can see are in one range of
 * the index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "messageRecipients"
      add column "id" text collate "C" not null generated always as ("messageId") stored,
      add column "isOwn" boolean not null default false,
      add column "readAt" timestamptz(3)`.execute(db)
  await sql`create index "messageRecipients_id" on "messageRecipients" ("organizationId", "recipientId", "id")`.execute(
    db,
  )
  // Only a small part of all messages is unread.
  await sql`
    create index "messageRecipients_unread" on "messageRecipients" ("organizationId", "recipientId", "messageId")
    where "readAt" is null and not "isOwn"`.execute(db)
  await sql`
    create or replace function "noteRecipients"() returns trigger language plpgsql as $$
    begin
      insert into "messageRecipients" ("organizationId", "recipientId", "messageId")
        select distinct new."organizationId", r->>'id', new."id" from jsonb_array_elements(new."recipients") r
        where r->>'id' is not null;
      if new."sender"->>'type' = 'vendor' then
        insert into "messageRecipients" ("organizationId", "recipientId", "messageId", "isOwn")
          values (new."organizationId", new."sender"->>'id', new."id", true) on conflict do nothing;
      end if;
      return null;
    end $$`.execute(db)
}
