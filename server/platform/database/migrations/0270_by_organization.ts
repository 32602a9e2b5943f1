import { type Kysely, sql } from 'kysely'

/**
 * Changes the indexes and functions that a database rejects if it is distributed by organization (see distribution.ts).
 * Such a database rejects a unique index that does not include the organization, and a function whose parameter is an
 * entire row, because the type of the row differs between nodes. The previous function is kept for processes of the
 * previous version.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The queue contains only the changes of the last second, so it needs no index on the position.
  await sql`alter table "searchQueue" drop constraint "searchQueue_place_key"`.execute(db)
  await sql`create index "searchQueue_place" on "searchQueue" ("place")`.execute(db)

  await sql`
    create function "tellAtOf"("inOrganizationId" text, "inVendorId" text, "inHomeId" text, "inCommunityId" text,
      "inStatus" text, "inActualStart" date, "inArchivedAt" timestamptz, "inNotifiedAt" timestamptz, "inPlannedStart" date,
      "inConfirmation" jsonb)
    returns timestamptz language sql stable as $$
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
        and c."organizationId" = "inOrganizationId" and c."id" = "inCommunityId"
    $$`.execute(db)
  await sql`
    create or replace function "keepTellAt"() returns trigger language plpgsql as $$
    begin
      new."tellAt" := case when new."vendorId" is not null then "tellAtOf"(new."organizationId", new."vendorId", new."homeId",
        new."communityId", new."status", new."actualStart", new."archivedAt", new."notifiedAt", new."plannedStart", new."confirmation") end;
      return new;
    end $$`.execute(db)
}
