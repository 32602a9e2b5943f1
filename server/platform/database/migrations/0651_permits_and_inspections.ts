import { type Kysely, sql } from 'kysely'

/** For each type of record, the columns that are searched, as in 0141_search_lists.ts. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  permits: ['number', 'authority', 'homeId'],
  inspections: ['name', 'inspectorName', 'homeId'],
}

/** The columns for the filters and sort orders of lists. */
const INDEXED: Readonly<Record<string, readonly string[]>> = {
  permits: ['createdAt', 'updatedAt', 'homeId', 'communityId', 'status', 'expiryOrder'],
  inspections: [
    ...['createdAt', 'updatedAt', 'homeId', 'communityId', 'taskId', 'permitId', 'status', 'result'],
    ...['scheduledDate', 'scheduledOrder', 'previousId', 'feeVendorId', 'feeOrderId'],
  ],
}

/** Permits and inspections of homes, and the trades that may continue after an inspection passed only partly. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "tasks" add column "releasedScopes" text[] not null default '{}'`.execute(db)
  await sql`
    create table "permits" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "permitType" text not null,
      "number" text,
      "authority" text,
      "status" text not null,
      "appliedDate" date not null,
      "issuedDate" date,
      "expiryDate" date,
      "inactivityDays" integer,
      "finaledDate" date,
      "feeAmount" numeric(18,3),
      "currency" text not null,
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      -- The expiryDate that subscribers were last warned of, and the day on which to warn them of the present one.
      "warnedOf" date,
      "warnOn" date generated always as (
        case when "status" = 'issued' and "warnedOf" is distinct from "expiryDate" then "expiryDate" - 30 end) stored,
      "expiryOrder" date not null generated always as (coalesce("expiryDate", date '9999-12-31')) stored,
      primary key ("organizationId", "id"),
      constraint "permits_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "permits_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "permits_toWarn" on "permits" ("warnOn", "id") where "warnOn" is not null`.execute(db)
  await sql`create index "permits_toExpire" on "permits" ("expiryDate", "id") where "status" = 'issued' and "expiryDate" is not null`.execute(
    db,
  )
  await sql`
    create table "inspections" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "taskId" text collate "C",
      "permitId" text collate "C",
      "name" text not null,
      "authority" text not null,
      "attempt" integer not null,
      "previousId" text collate "C",
      "status" text not null,
      "result" text,
      "scheduledDate" date,
      "window" text not null,
      "inspectorName" text,
      "items" jsonb not null,
      "releasedScopes" text[] not null,
      "completedDate" date,
      "delayDays" integer,
      "feeAmount" numeric(18,3),
      "feeVendorId" text collate "C",
      "feeOrderId" text collate "C",
      "currency" text not null,
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "scheduledOrder" date not null generated always as (coalesce("scheduledDate", date '9999-12-31')) stored,
      "bytes" integer not null generated always as (octet_length("items"::text) + coalesce(octet_length("notes"), 0)) stored,
      primary key ("organizationId", "id"),
      constraint "inspections_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "inspections_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "inspections_taskId_fkey" foreign key ("organizationId", "taskId") references "tasks" ("organizationId", "id"),
      constraint "inspections_permitId_fkey" foreign key ("organizationId", "permitId") references "permits" ("organizationId", "id"),
      constraint "inspections_previousId_fkey" foreign key ("organizationId", "previousId") references "inspections" ("organizationId", "id"),
      constraint "inspections_feeVendorId_fkey" foreign key ("organizationId", "feeVendorId") references "vendors" ("organizationId", "id"),
      constraint "inspections_feeOrderId_fkey" foreign key ("organizationId", "feeOrderId") references "purchaseOrders" ("organizationId", "id")
    )`.execute(db)
  await sql`
    create unique index "inspections_open_key" on "inspections" ("organizationId", "taskId")
    where "status" in ('requested', 'scheduled')`.execute(db)
  for (const [table, columns] of Object.entries(INDEXED)) {
    for (const column of columns)
      await sql`create index ${sql.ref(`${table}_${column}`)} on ${sql.table(table)} ("organizationId", ${sql.ref(column)}, "id")`.execute(
        db,
      )
    await sql`create unique index ${sql.ref(`${table}_externalId_key`)} on ${sql.table(table)} ("organizationId", "externalId") where "externalId" is not null`.execute(
      db,
    )
  }
  for (const [table, columns] of Object.entries(SEARCHED)) {
    const changed = columns.map(
      (column) => sql`old.${sql.ref(column)}::text is distinct from new.${sql.ref(column)}::text`,
    )
    await sql`
      create trigger "searchable_new" after insert on ${sql.table(table)}
      for each row execute function "noteSearchable"()`.execute(db)
    await sql`
      create trigger "searchable_changed" after update on ${sql.table(table)}
      for each row when (${sql.join(changed, sql` or `)}) execute function "noteSearchable"()`.execute(db)
  }
}
