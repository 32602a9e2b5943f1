import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "timesheets" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "userId" text collate "C" not null,
      "weekStarting" date not null,
      "status" text not null,
      "totalHours" numeric(10,4) not null,
      "regularHours" numeric(10,4) not null,
      "overtimeHours" numeric(10,4) not null,
      "doubleHours" numeric(10,4) not null,
      "ptoHours" numeric(10,4) not null,
      "overtimeRule" jsonb not null,
      "rate" numeric(14,4),
      "cost" numeric(14,2),
      "notes" text,
      "submittedAt" timestamptz(3),
      "approvedBy" jsonb,
      "approvedAt" timestamptz(3),
      "exportedAt" timestamptz(3),
      "isExported" boolean not null generated always as ("exportedAt" is not null) stored,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "timesheets_userId_fkey" foreign key ("organizationId", "userId") references "users" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "timesheets_updatedAt" on "timesheets" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "timesheets_weekStarting" on "timesheets" ("organizationId", "weekStarting", "id")`.execute(db)
  await sql`create index "timesheets_status" on "timesheets" ("organizationId", "status", "id")`.execute(db)
  await sql`create index "timesheets_isExported" on "timesheets" ("organizationId", "isExported", "id")`.execute(db)
  await sql`create unique index "timesheets_weekStarting_key" on "timesheets" ("organizationId", "userId", "weekStarting")`.execute(
    db,
  )
  await sql`create unique index "timesheets_externalId_key" on "timesheets" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )

  // The row also contains the user, so that the hours of a day can be found across the weeks of the user.
  await sql`
    create table "timeEntries" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "timesheetId" text collate "C" not null,
      "userId" text collate "C" not null,
      "date" date not null,
      "startedAt" timestamptz(3),
      "endedAt" timestamptz(3),
      "breakMinutes" integer not null,
      "hours" numeric(10,4),
      "overtimeHours" numeric(10,4) not null,
      "payType" text not null,
      "homeId" text collate "C",
      "taskId" text collate "C",
      "scope" text,
      "costCodeId" text collate "C",
      "rate" numeric(14,4),
      "cost" numeric(14,2),
      "postedAt" timestamptz(3),
      "notes" text,
      "startLocation" jsonb,
      "endLocation" jsonb,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "timeEntries_timesheetId_fkey" foreign key ("organizationId", "timesheetId") references "timesheets" ("organizationId", "id"),
      constraint "timeEntries_userId_fkey" foreign key ("organizationId", "userId") references "users" ("organizationId", "id"),
      constraint "timeEntries_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "timeEntries_taskId_fkey" foreign key ("organizationId", "taskId") references "tasks" ("organizationId", "id"),
      constraint "timeEntries_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  // A timesheet has a limited number of entries, so an index by timesheet is sufficient for all filters and sort
  // orders.
  await sql`create index "timeEntries_timesheetId" on "timeEntries" ("organizationId", "timesheetId", "date", "id")`.execute(
    db,
  )
  await sql`create index "timeEntries_userId" on "timeEntries" ("organizationId", "userId", "date", "id")`.execute(db)
  await sql`create index "timeEntries_startedAt" on "timeEntries" ("organizationId", "userId", "startedAt") where "startedAt" is not null`.execute(
    db,
  )
  await sql`create index "timeEntries_homeId" on "timeEntries" ("organizationId", "homeId") where "homeId" is not null`.execute(
    db,
  )
  await sql`create index "timeEntries_taskId" on "timeEntries" ("organizationId", "taskId") where "taskId" is not null`.execute(
    db,
  )
  await sql`create index "timeEntries_costCodeId" on "timeEntries" ("organizationId", "costCodeId") where "costCodeId" is not null`.execute(
    db,
  )
  // This index is for the time entries that budgets sum.
  await sql`create index "timeEntries_posted" on "timeEntries" ("organizationId", "homeId") where "postedAt" is not null`.execute(
    db,
  )
  await sql`
    create unique index "timeEntries_running" on "timeEntries" ("organizationId", "userId")
    where "startedAt" is not null and "endedAt" is null and "archivedAt" is null`.execute(db)
  await sql`create unique index "timeEntries_externalId_key" on "timeEntries" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
}
