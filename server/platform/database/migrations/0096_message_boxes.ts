import { type Kysely, sql } from 'kysely'

/**
 * Adds read marks, and the messages that vendors wrote, in addition to the messages that vendors received. A vendor's
 * own message also has a row for the vendor, so that all messages that the vendor may see are one index range.
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
  // Unread messages are a small part of all messages.
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
