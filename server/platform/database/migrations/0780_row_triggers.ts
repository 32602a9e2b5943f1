import { type Kysely, sql } from 'kysely'

/**
 * Replaces functions that the nodes of a distributed database cannot execute: triggers that read the changed rows as a
 * table, and an SQL function that a trigger calls and that reads other tables.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The lines of an order are always inserted together, beginning with position 0, so firing for this line is
  // sufficient.
  await sql`
    create or replace function "noteSearchableLines"() returns trigger language plpgsql as $$
    begin
      insert into "searchQueue" ("organizationId", "recordId") values (new."organizationId", new."purchaseOrderId");
      return null;
    end $$`.execute(db)
  await sql`drop trigger "searchable_lines" on "purchaseOrderLines"`.execute(db)
  await sql`
    create trigger "searchable_lines" after insert on "purchaseOrderLines"
    for each row when (new."position" = 0) execute function "noteSearchableLines"()`.execute(db)

  // Only deleting the newest event of an organization changes the counter. The trigger fires before the deletion, when
  // the newer rows of the same statement still exist.
  await sql`
    create or replace function "keepLastSequence"() returns trigger language plpgsql as $$
    begin
      if not exists (
        select from "events" as e where e."organizationId" = old."organizationId" and e."sequence" > old."sequence"
      ) then
        update "organizations" as o set "lastEventSequence" = old."sequence"
        where o."id" = old."organizationId" and o."lastEventSequence" < old."sequence";
      end if;
      return old;
    end $$`.execute(db)
  await sql`drop trigger "events_removed" on "events"`.execute(db)
  await sql`
    create trigger "events_removed" before delete on "events"
    for each row when (old."sequence" is not null) execute function "keepLastSequence"()`.execute(db)

  await sql`
    create or replace function "auditRemovedEvents"() returns trigger language plpgsql as $$
    begin
      insert into "auditEntries" ("organizationId", "id", "at", "actorType", "actorId", "actorCopierId", "action", "resourceId",
        "changed", "address", "requestId")
      values (old."organizationId", 'aud_' || substr(old."id", 5), old."occurredAt", old."payload"::json #>> '{actor,type}',
        old."actorId", old."payload"::json #>> '{actor,copiedBy,id}', old."type", old."resourceId",
        "changedFields"(old."payload"), old."address", old."requestId")
      on conflict do nothing;
      return null;
    end $$`.execute(db)
  await sql`drop trigger "events_audit" on "events"`.execute(db)
  await sql`
    create trigger "events_audit" after delete on "events"
    for each row execute function "auditRemovedEvents"()`.execute(db)

  await sql`
    create or replace function "tellAtOf"("inOrganizationId" text, "inVendorId" text, "inHomeId" text,
      "inCommunityId" text, "inStatus" text, "inActualStart" date, "inArchivedAt" timestamptz, "inNotifiedAt" timestamptz,
      "inPlannedStart" date, "inConfirmation" jsonb)
    returns timestamptz language plpgsql stable as $$
    begin
      return (
        select case
          when "inNotifiedAt" is null then coalesce(days."advance", days."reminder")
          else least(
            case when "inNotifiedAt" < days."reminder" then days."reminder" end,
            case when "inConfirmation"->>'status' = 'requested' and "inNotifiedAt" < days."answer"
              and days."answer" < ("inPlannedStart" + 1)::timestamp at time zone c."timeZone" then days."answer" end)
          end
        from "vendors" as v, "homes" as h, "communities" as c,
          lateral (select
            ("inPlannedStart" - (v."notificationPreferences"->>'advanceNoticeDays')::integer + time '07:00') at time zone c."timeZone" as "advance",
            ("inPlannedStart" - (v."notificationPreferences"->>'reminderDays')::integer + time '07:00') at time zone c."timeZone" as "reminder",
            ((("inConfirmation"->>'requestedAt')::timestamptz at time zone c."timeZone")::date + 2 + time '07:00') at time zone c."timeZone" as "answer"
          ) as days
        where "inStatus" = 'not_started' and "inActualStart" is null and "inArchivedAt" is null
          and v."organizationId" = "inOrganizationId" and v."id" = "inVendorId" and v."archivedAt" is null
          and h."organizationId" = "inOrganizationId" and h."id" = "inHomeId" and h."archivedAt" is null
          and h."status" not in ('on_hold', 'cancelled', 'archived')
          and c."organizationId" = "inOrganizationId" and c."id" = "inCommunityId");
    end $$`.execute(db)
}
