import { type Kysely, sql } from 'kysely'

// The tables to which every change writes have no foreign key to organizations. A foreign key would lock the
// organization's row on every insert. It is also unnecessary, because organizations are never deleted, and each
// organization ID comes from a key of the organization.
//
// IDs are compared byte by byte (collate "C"). Only in this order do TypeIDs sort by creation time, on which lists
// depend.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "organizations" (
      "id" text collate "C" primary key,
      "name" text not null,
      "tier" text not null default 'pro_plus',
      "currency" text not null default 'USD',
      "timeZone" text not null default 'UTC',
      "lastEventSequence" bigint not null default 0,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null
    )`.execute(db)

  await sql`
    create table "users" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "email" text not null,
      "name" text not null,
      "role" text not null check ("role" in ('owner', 'admin', 'estimator', 'superintendent', 'accountant', 'viewer')),
      "status" text not null default 'active' check ("status" in ('invited', 'active', 'disabled')),
      "poApprovalLimit" numeric(14,2),
      "version" integer not null default 1,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "users_email_key" on "users" ("organizationId", lower("email"))`.execute(db)

  await sql`
    create table "apiKeys" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "name" text not null,
      "permissions" text[] not null,
      "createdByUserId" text collate "C" not null,
      "expiresAt" timestamptz(3),
      "revokedAt" timestamptz(3),
      "lastUsedAt" timestamptz(3),
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "apiKeys_createdByUserId_fkey" foreign key ("organizationId", "createdByUserId") references "users" ("organizationId", "id")
    )`.execute(db)

  // A key has one secret, or two during a rotation. Only hashes of secrets are stored.
  await sql`
    create table "apiKeySecrets" (
      "hash" bytea primary key,
      "organizationId" text collate "C" not null,
      "keyId" text collate "C" not null,
      "start" text not null,
      "expiresAt" timestamptz(3),
      "createdAt" timestamptz(3) not null,
      constraint "apiKeySecrets_keyId_fkey" foreign key ("organizationId", "keyId") references "apiKeys" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "apiKeySecrets_keyId" on "apiKeySecrets" ("organizationId", "keyId")`.execute(db)

  await sql`
    create table "limitWindows" (
      "scope" text primary key,
      "startsAt" timestamptz not null,
      "endsAt" timestamptz not null,
      "used" bigint not null
    ) with (fillfactor = 50)`.execute(db)

  // Takes up to "wanted" requests from a window in one step, while holding the lock of its row. Therefore, processes
  // that share the database never exceed the limit together. The commit does not wait for the disk, so counts can be
  // lost if the machine of the database crashes. Row locks are not affected.
  await sql`
    create function "takeFromWindow"(
      "inScope" text, "inLimit" bigint, "inSeconds" integer, "inAligned" boolean, "inWanted" bigint, "inNow" timestamptz
    ) returns table ("granted" bigint, "used" bigint, "endsInMs" bigint) language plpgsql as $$
    declare
      held "limitWindows"%rowtype;
      opens timestamptz := case when "inAligned" then date_trunc('day', "inNow" at time zone 'UTC') at time zone 'UTC' else "inNow" end;
      given bigint;
    begin
      perform set_config('synchronous_commit', 'off', true);
      insert into "limitWindows" values ("inScope", opens, opens + make_interval(secs => "inSeconds"), 0)
        on conflict ("scope") do nothing;
      select * into held from "limitWindows" w where w."scope" = "inScope" for update;
      if held."endsAt" <= "inNow" then
        held."startsAt" := opens;
        held."endsAt" := opens + make_interval(secs => "inSeconds");
        held."used" := 0;
      end if;
      given := greatest(-held."used", least("inWanted", "inLimit" - held."used"));
      if "inWanted" > 0 then given := greatest(given, 0); end if;
      update "limitWindows" w set "startsAt" = held."startsAt", "endsAt" = held."endsAt", "used" = held."used" + given
        where w."scope" = "inScope";
      return query select given, held."used" + given, (extract(epoch from held."endsAt" - "inNow") * 1000)::bigint;
    end $$`.execute(db)

  await sql`
    create table "idempotencyRecords" (
      "organizationId" text collate "C" not null,
      "key" text not null,
      "fingerprint" text not null,
      "status" integer not null,
      "headers" jsonb not null,
      "body" text not null,
      "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "key")
    )`.execute(db)
  await sql`create index "idempotencyRecords_createdAt" on "idempotencyRecords" ("createdAt")`.execute(db)

  // The payload has the type json instead of jsonb, because webhooks deliver exactly these bytes.
  await sql`
    create table "events" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "type" text not null,
      "resourceId" text collate "C" not null,
      "actorId" text,
      "payload" json not null,
      "occurredAt" timestamptz(3) not null,
      "recordedOrder" bigint generated always as identity,
      "sequence" bigint,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "events_undispatched" on "events" ("recordedOrder") where "sequence" is null`.execute(db)
  await sql`create unique index "events_sequence" on "events" ("organizationId", "sequence") where "sequence" is not null`.execute(
    db,
  )
  await sql`create index "events_resourceId" on "events" ("organizationId", "resourceId", "sequence")`.execute(db)

  await sql`
    create table "statusChanges" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "resourceId" text collate "C" not null,
      "from" text,
      "to" text not null,
      "at" timestamptz(3) not null,
      "by" jsonb not null,
      "reason" text,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "statusChanges_resourceId" on "statusChanges" ("organizationId", "resourceId", "id")`.execute(
    db,
  )
}
