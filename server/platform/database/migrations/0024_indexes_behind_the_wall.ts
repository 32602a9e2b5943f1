import { type Kysely, sql } from 'kysely'

// With row-level security (see server/platform/database/row-level-security.ts), PostgreSQL does not use indexes on
// decimals, JSON, or expressions, because comparing such values could leak hidden rows. Therefore, the values of such
// indexes are stored in separate columns of types with leakproof comparisons.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "purchaseOrders" add column "totalInCents" bigint not null generated always as (("total" * 100)::bigint) stored`.execute(
    db,
  )
  await sql`drop index "purchaseOrders_total"`.execute(db)
  await sql`create index "purchaseOrders_totalInCents" on "purchaseOrders" ("organizationId", "totalInCents", "id")`.execute(
    db,
  )

  await sql`
    alter table "messages" add column "relatedToId" text collate "C" generated always as ("relatedTo"->>'id') stored`.execute(
    db,
  )
  await sql`drop index "messages_relatedTo"`.execute(db)
  await sql`create index "messages_relatedToId" on "messages" ("organizationId", "relatedToId", "id")`.execute(db)

  // The recipients of messages, one row for each. The rows are inserted with the message and never change.
  await sql`
    create table "messageRecipients" (
      "organizationId" text collate "C" not null,
      "recipientId" text collate "C" not null,
      "messageId" text collate "C" not null,
      primary key ("organizationId", "recipientId", "messageId"),
      constraint "messageRecipients_messageId_fkey" foreign key ("organizationId", "messageId")
        references "messages" ("organizationId", "id") on delete cascade
    )`.execute(db)
  await sql`create index "messageRecipients_messageId" on "messageRecipients" ("organizationId", "messageId")`.execute(
    db,
  )
  await sql`
    insert into "messageRecipients"
    select distinct m."organizationId", r->>'id', m."id" from "messages" m, jsonb_array_elements(m."recipients") r
    where r->>'id' is not null`.execute(db)
  await sql`
    create function "noteRecipients"() returns trigger language plpgsql as $$
    begin
      insert into "messageRecipients"
        select distinct new."organizationId", r->>'id', new."id" from jsonb_array_elements(new."recipients") r
        where r->>'id' is not null;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger "messages_recipients" after insert on "messages" for each row execute function "noteRecipients"()`.execute(
    db,
  )
  await sql`drop index "messages_recipients"`.execute(db)
}
