import { type Kysely, sql } from 'kysely'

// The audit trail contains the actor, the action, and the origin of each change. If a change has an event, the event is
// also the audit entry and stores the request. All other changes have a row in "auditEntries".
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "events" add column "requestId" text, add column "address" text`.execute(db)
  // Events are stored in chronological order, so a block range index can find a period and costs almost nothing to
  // write.
  await sql`
    create index if not exists "events_occurredAt" on "events" using brin ("occurredAt") with (autosummarize = on)`.execute(
    db,
  )

  await sql`
    create table "auditEntries" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "at" timestamptz(3) not null,
      "actorType" text not null check ("actorType" in ('key', 'user', 'vendor', 'system', 'operator')),
      "actorId" text collate "C",
      "action" text not null,
      "resourceId" text collate "C" not null,
      "changed" text[] not null default '{}',
      "outcome" text not null default 'done' check ("outcome" in ('done', 'refused')),
      "reason" text,
      "count" integer not null default 1,
      "address" text,
      "requestId" text,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "auditEntries_resourceId" on "auditEntries" ("organizationId", "resourceId", "id")`.execute(db)
  await sql`create index "auditEntries_at" on "auditEntries" using brin ("at") with (autosummarize = on)`.execute(db)

  // Audit entries cannot be changed. Only the retention job and the erasure of an organization can delete them, and
  // must declare this in their transactions.
  await sql`
    create function "keepAuditEntries"() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('plumbline.removes_audit_entries', true) = 'on' then return null; end if;
      raise exception 'Audit entries are only added to.' using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`
    create trigger "auditEntries_append" before update or delete or truncate on "auditEntries"
    for each statement execute function "keepAuditEntries"()`.execute(db)

  // Returns the names of the changed fields according to an event.
  await sql`
    create function "changedFields"("inPayload" text) returns text[] language sql immutable as $$
      select case when json_typeof(p) = 'object' then array(select json_object_keys(p)) else '{}' end
      from (select "inPayload"::json #> '{data,previous}') as previous (p)
    $$`.execute(db)

  // If an event is deleted before the retention period of audit entries is over, an audit entry is created for it.
  await sql`
    create function "auditRemovedEvents"() returns trigger language plpgsql as $$
    begin
      insert into "auditEntries" ("organizationId", "id", "at", "actorType", "actorId", "action", "resourceId", "changed", "address", "requestId")
      select "organizationId", 'aud_' || substr("id", 5), "occurredAt", "payload"::json #>> '{actor,type}', "actorId", "type",
        "resourceId", "changedFields"("payload"), "address", "requestId"
      from removed on conflict do nothing;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger "events_audit" after delete on "events" referencing old table as removed
    for each statement execute function "auditRemovedEvents"()`.execute(db)
}
