import { type Kysely, sql } from 'kysely'

/**
 * Walkthroughs of homes, punch items, and the backcharges of punch items. `backchargeOrderId` is not a foreign key,
 * because orders already refer to their items, and rows are erased and imported table by table. Orders are never
 * deleted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "walkthroughs" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "kind" text not null,
      "status" text not null,
      "date" date not null,
      "conductedById" text collate "C",
      "signature" jsonb,
      "closedAt" timestamptz(3),
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "bytes" integer not null generated always as (coalesce(octet_length("signature"::text), 0) + coalesce(octet_length("notes"), 0)) stored,
      primary key ("organizationId", "id"),
      constraint "walkthroughs_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "walkthroughs_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "walkthroughs_conductedById_fkey" foreign key ("organizationId", "conductedById") references "users" ("organizationId", "id")
    )`.execute(db)
  await index(db, 'walkthroughs', [
    'homeId',
    'communityId',
    'conductedById',
    'kind',
    'status',
    'createdAt',
    'updatedAt',
  ])
  await uniqueExternalId(db, 'walkthroughs')
  await sql`
    create table "punchItems" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "walkthroughId" text collate "C",
      "location" text,
      "scope" text,
      "description" text not null,
      "priority" text not null,
      "status" text not null,
      "vendorId" text collate "C",
      "responsibleVendorId" text collate "C",
      "assigneeUserId" text collate "C",
      "taskId" text collate "C",
      "dueDate" date,
      "plannedDate" date,
      "reopenedCount" integer not null,
      "assignedAt" timestamptz(3),
      "fixedAt" timestamptz(3),
      "verifiedAt" timestamptz(3),
      "disputeNote" text,
      "ownerVisible" boolean not null,
      "backchargeOrderId" text collate "C",
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      -- When the vendor is notified of its assignment; null once it was.
      "noticeDueAt" timestamptz(3),
      "answersSince" timestamptz(3),
      "answerCount" integer not null default 0,
      primary key ("organizationId", "id"),
      constraint "punchItems_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "punchItems_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "punchItems_walkthroughId_fkey" foreign key ("organizationId", "walkthroughId") references "walkthroughs" ("organizationId", "id"),
      constraint "punchItems_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "punchItems_responsibleVendorId_fkey" foreign key ("organizationId", "responsibleVendorId") references "vendors" ("organizationId", "id"),
      constraint "punchItems_assigneeUserId_fkey" foreign key ("organizationId", "assigneeUserId") references "users" ("organizationId", "id"),
      constraint "punchItems_taskId_fkey" foreign key ("organizationId", "taskId") references "tasks" ("organizationId", "id")
    )`.execute(db)
  await index(db, 'punchItems', [
    ...['homeId', 'communityId', 'walkthroughId', 'status', 'priority', 'vendorId', 'assigneeUserId'],
    ...['responsibleVendorId', 'taskId', 'createdAt', 'updatedAt'],
  ])
  await sql`create unique index "punchItems_number_key" on "punchItems" ("organizationId", "homeId", "number")`.execute(
    db,
  )
  await uniqueExternalId(db, 'punchItems')
  await sql`
    create trigger "searchable_new" after insert on "punchItems"
    for each row execute function "noteSearchable"()`.execute(db)
  await sql`
    create trigger "searchable_changed" after update on "punchItems"
    for each row when (old."location" is distinct from new."location" or old."description" is distinct from new."description"
      or old."scope" is distinct from new."scope") execute function "noteSearchable"()`.execute(db)
  await sql`create index "punchItems_noticeDueAt" on "punchItems" ("noticeDueAt", "id") where "noticeDueAt" is not null`.execute(
    db,
  )
  await sql`alter table "purchaseOrders" add column "punchItemId" text collate "C", add column "warrantyRequestId" text collate "C"`.execute(
    db,
  )
  await sql`
    alter table "purchaseOrders" add constraint "purchaseOrders_punchItemId_fkey"
    foreign key ("organizationId", "punchItemId") references "punchItems" ("organizationId", "id") not valid`.execute(
    db,
  )
}

async function index(db: Kysely<unknown>, table: string, columns: readonly string[]): Promise<void> {
  for (const column of columns)
    await sql`
      create index ${sql.id(`${table}_${column}`)} on ${sql.table(table)} ("organizationId", ${sql.id(column)}, "id")`.execute(
      db,
    )
}

async function uniqueExternalId(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`
    create unique index ${sql.id(`${table}_externalId_key`)} on ${sql.table(table)} ("organizationId", "externalId")
    where "externalId" is not null`.execute(db)
}
