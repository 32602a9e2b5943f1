import { type Kysely, sql } from 'kysely'

/** Creates the tables for home owners, for the links to their pages, and for their messages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "homeOwners" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "name" text not null,
      "email" text,
      "phone" text,
      "language" text not null,
      "invitedAt" timestamptz(3),
      "lastVisitAt" timestamptz(3),
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "homeOwners_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id")
    )`.execute(db)
  for (const column of ['homeId', 'createdAt', 'updatedAt'])
    await sql`
      create index ${sql.id(`homeOwners_${column}`)} on "homeOwners" ("organizationId", ${sql.id(column)}, "id")`.execute(
      db,
    )
  await sql`
    create unique index "homeOwners_externalId_key" on "homeOwners" ("organizationId", "externalId")
    where "externalId" is not null`.execute(db)
  await sql`
    create trigger "searchable_new" after insert on "homeOwners"
    for each row execute function "noteSearchable"()`.execute(db)
  await sql`
    create trigger "searchable_changed" after update on "homeOwners"
    for each row when (old."name" is distinct from new."name" or old."email" is distinct from new."email"
      or old."phone" is distinct from new."phone") execute function "noteSearchable"()`.execute(db)
  await sql`
    create table "ownerLinks" (
      "organizationId" text collate "C" not null,
      "hash" bytea not null,
      "homeOwnerId" text collate "C" not null,
      "createdAt" timestamptz(3) not null,
      "lastUsedAt" timestamptz(3) not null,
      "revokedAt" timestamptz(3),
      primary key ("hash"),
      constraint "ownerLinks_homeOwnerId_fkey" foreign key ("organizationId", "homeOwnerId") references "homeOwners" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "ownerLinks_homeOwnerId" on "ownerLinks" ("organizationId", "homeOwnerId")`.execute(db)
  // The new list adds only one value, so existing rows, of which there are many, are not validated again.
  await sql`
    alter table "auditEntries" drop constraint "auditEntries_actorType_check",
      add constraint "auditEntries_actorType_check"
      check ("actorType" in ('key', 'user', 'vendor', 'home_owner', 'system', 'operator')) not valid`.execute(db)
  // As with vendors, a message from an owner also has a row for the owner.
  await sql`
    create or replace function "noteRecipients"() returns trigger language plpgsql as $$
    begin
      insert into "messageRecipients" ("organizationId", "recipientId", "messageId")
        select distinct new."organizationId", r->>'id', new."id" from jsonb_array_elements(new."recipients") r
        where r->>'id' is not null;
      if new."sender"->>'type' in ('vendor', 'home_owner') then
        insert into "messageRecipients" ("organizationId", "recipientId", "messageId", "isOwn")
          values (new."organizationId", new."sender"->>'id', new."id", true) on conflict do nothing;
      end if;
      return null;
    end $$`.execute(db)
}
