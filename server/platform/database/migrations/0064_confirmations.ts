import { type Kysely, sql } from 'kysely'

/** Adds the confirmations of vendors, and the next time at which the vendor of a task must be notified. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "tasks"
      add column "notifiedAt" timestamptz(3),
      add column "confirmation" jsonb not null default '{"status": "none", "proposedStart": null, "note": null, "requestedAt": null, "respondedAt": null}',
      add column "answersSince" timestamptz(3),
      add column "answerCount" integer not null default 0,
      add column "tellAt" timestamptz(3)`.execute(db)
  await sql`
    alter table "tasks"
      alter column "confirmation" drop default,
      add column "confirmationStatus" text not null generated always as ("confirmation"->>'status') stored`.execute(db)
  await sql`create index "tasks_confirmation" on "tasks" ("organizationId", "confirmationStatus", "plannedStart", "id")`.execute(
    db,
  )
  // For existing notifications, assume that they were sent when the task was last changed.
  await sql`update "tasks" set "notifiedAt" = "updatedAt" where "notifiedStart" is not null`.execute(db)

  // Notices are sent at 7 a.m. in the time zone of the home. The advance notice is the first notice about a task. A
  // reminder is sent unless the vendor has been notified on or after the day of the reminder. If the vendor does not
  // respond to a request for confirmation, another reminder is sent after two days.
  await sql`
    create function "tellAtOf"(t "tasks") returns timestamptz language sql stable as $$
      select case
        when t."notifiedAt" is null then coalesce(days."advance", days."reminder")
        else least(
          case when t."notifiedAt" < days."reminder" then days."reminder" end,
          case when t."confirmation"->>'status' = 'requested' and t."notifiedAt" < days."answer"
            and days."answer" < (t."plannedStart" + 1)::timestamp at time zone c."timeZone" then days."answer" end)
        end
      from "vendors" as v, "homes" as h, "communities" as c,
        lateral (select
          (t."plannedStart" - (v."notificationPreferences"->>'advanceNoticeDays')::integer + time '07:00') at time zone c."timeZone" as "advance",
          (t."plannedStart" - (v."notificationPreferences"->>'reminderDays')::integer + time '07:00') at time zone c."timeZone" as "reminder",
          (((t."confirmation"->>'requestedAt')::timestamptz at time zone c."timeZone")::date + 2 + time '07:00') at time zone c."timeZone" as "answer"
        ) as days
      where t."status" = 'not_started' and t."actualStart" is null and t."archivedAt" is null
        and v."organizationId" = t."organizationId" and v."id" = t."vendorId" and v."archivedAt" is null
        and h."organizationId" = t."organizationId" and h."id" = t."homeId" and h."archivedAt" is null
        and h."status" not in ('on_hold', 'cancelled', 'archived')
        and c."organizationId" = t."organizationId" and c."id" = t."communityId"
    $$`.execute(db)
  // A trigger computes the column, because several operations change tasks.
  await sql`
    create function "keepTellAt"() returns trigger language plpgsql as $$
    begin
      new."tellAt" := case when new."vendorId" is not null then "tellAtOf"(new) end;
      return new;
    end $$`.execute(db)
  await sql`
    create trigger "tasks_tellAt" before insert or update of
      "vendorId", "plannedStart", "status", "actualStart", "archivedAt", "notifiedAt", "confirmation" on "tasks"
    for each row execute function "keepTellAt"()`.execute(db)
  await sql`update "tasks" set "plannedStart" = "plannedStart"`.execute(db)
  await sql`create index "tasks_tellAt" on "tasks" ("tellAt") where "tellAt" is not null`.execute(db)
}
