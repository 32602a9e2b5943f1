import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** This index finds the time entries of a home on a day. */
export const ahead: readonly LargeIndex[] = [
  { name: 'timeEntries_homeId_date', on: '"timeEntries" ("organizationId", "homeId", "date")' },
]

/** The columns for the filters and sort orders of the list. */
const INDEXED = ['createdAt', 'updatedAt', 'homeId', 'communityId', 'status', 'logDate']

/** The columns that are searched, as in 0141_search_lists.ts. */
const SEARCHED = ['workDone', 'ownerNote', 'homeId']

/**
 * Daily logs of homes. `frozenActivity` contains the activity of other records on the day, as stored when the log was
 * locked. `dayStart` and `dayEnd` are the bounds of the day in the community's time zone, as stored when the log was
 * created.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "dailyLogs" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "logDate" date not null,
      "status" text not null,
      "weather" jsonb,
      "crews" jsonb not null,
      "workDone" text,
      "deliveries" jsonb not null,
      "visitors" jsonb not null,
      "safety" jsonb not null,
      "ownerNote" text,
      "sharedWithOwner" boolean not null,
      "frozenActivity" jsonb,
      "addenda" jsonb not null,
      "submittedAt" timestamptz(3),
      "submittedBy" jsonb,
      "editableUntil" timestamptz(3) not null,
      "dayStart" timestamptz(3),
      "dayEnd" timestamptz(3),
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "bytes" integer not null generated always as (
        octet_length("crews"::text) + octet_length("deliveries"::text) + octet_length("visitors"::text)
        + octet_length("safety"::text) + octet_length("addenda"::text) + coalesce(octet_length("workDone"), 0)) stored,
      primary key ("organizationId", "id"),
      constraint "dailyLogs_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "dailyLogs_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "dailyLogs_day_key" on "dailyLogs" ("organizationId", "homeId", "logDate")`.execute(db)
  await sql`create unique index "dailyLogs_externalId_key" on "dailyLogs" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  await sql`create index "dailyLogs_toLock" on "dailyLogs" ("editableUntil", "id") where "status" <> 'locked'`.execute(
    db,
  )
  for (const column of INDEXED)
    await sql`create index ${sql.ref(`dailyLogs_${column}`)} on "dailyLogs" ("organizationId", ${sql.ref(column)}, "id")`.execute(
      db,
    )
  const changed = SEARCHED.map(
    (column) => sql`old.${sql.ref(column)}::text is distinct from new.${sql.ref(column)}::text`,
  )
  await sql`
    create trigger "searchable_new" after insert on "dailyLogs"
    for each row execute function "noteSearchable"()`.execute(db)
  await sql`
    create trigger "searchable_changed" after update on "dailyLogs"
    for each row when (${sql.join(changed, sql` or `)}) execute function "noteSearchable"()`.execute(db)
  await createIndexes(db, ahead)
}
