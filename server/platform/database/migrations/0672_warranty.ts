import { type Kysely, sql } from 'kysely'
import { typeid } from 'typeid-js'

/** Warranty terms, the coverages of homes, requests of owners, and visits for these requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "warrantyTerms" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "name" text not null,
      "months" integer not null,
      "scopes" text[] not null,
      "partIds" text[] not null,
      "text" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      "bytes" integer not null generated always as (coalesce(octet_length("text"), 0)) stored,
      primary key ("organizationId", "id")
    )`.execute(db)
  await index(db, 'warrantyTerms', ['createdAt', 'updatedAt'])
  await uniqueExternalId(db, 'warrantyTerms')
  await sql`
    create table "warrantyCoverages" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "warrantyTermId" text collate "C" not null,
      "name" text not null,
      "scopes" text[] not null,
      "partIds" text[] not null,
      "startDate" date not null,
      "endDate" date not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "warrantyCoverages_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "warrantyCoverages_warrantyTermId_fkey" foreign key ("organizationId", "warrantyTermId") references "warrantyTerms" ("organizationId", "id")
    )`.execute(db)
  await index(db, 'warrantyCoverages', ['homeId', 'warrantyTermId'])
  for (const column of ['createdAt', 'updatedAt'])
    await sql`
      create index ${sql.id(`warrantyCoverages_${column}`)} on "warrantyCoverages" ("organizationId", "homeId", ${sql.id(column)}, "id")`.execute(
      db,
    )
  await sql`
    create table "warrantyRequestNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)
  await sql`
    create table "warrantyRequests" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "planId" text collate "C",
      "source" text not null,
      "reportedBy" text,
      "location" text,
      "scope" text,
      "partId" text collate "C",
      "description" text not null,
      "severity" text not null,
      "status" text not null,
      "decision" text,
      "decisionReason" text,
      "coverageId" text collate "C",
      "vendorId" text collate "C",
      "assigneeUserId" text collate "C",
      "responsibleVendorId" text collate "C",
      "respondBy" timestamptz(3) not null,
      "completeBy" timestamptz(3) not null,
      "respondedAt" timestamptz(3),
      "completedAt" timestamptz(3),
      "closedAt" timestamptz(3),
      "isOverdue" boolean not null,
      "repeatOfId" text collate "C",
      "visitId" text collate "C",
      "signature" jsonb,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      -- When the next target passes, or the owner's silence closes the request.
      "nextDueAt" timestamptz(3),
      -- The targets whose passing was announced.
      "missedTargets" text[] not null default '{}',
      "bytes" integer not null generated always as (octet_length("description") + coalesce(octet_length("decisionReason"), 0) + coalesce(octet_length("signature"::text), 0)) stored,
      primary key ("organizationId", "id"),
      constraint "warrantyRequests_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "warrantyRequests_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "warrantyRequests_planId_fkey" foreign key ("organizationId", "planId") references "plans" ("organizationId", "id"),
      constraint "warrantyRequests_partId_fkey" foreign key ("organizationId", "partId") references "parts" ("organizationId", "id"),
      constraint "warrantyRequests_coverageId_fkey" foreign key ("organizationId", "coverageId") references "warrantyCoverages" ("organizationId", "id"),
      constraint "warrantyRequests_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "warrantyRequests_assigneeUserId_fkey" foreign key ("organizationId", "assigneeUserId") references "users" ("organizationId", "id"),
      constraint "warrantyRequests_responsibleVendorId_fkey" foreign key ("organizationId", "responsibleVendorId") references "vendors" ("organizationId", "id"),
      constraint "warrantyRequests_repeatOfId_fkey" foreign key ("organizationId", "repeatOfId") references "warrantyRequests" ("organizationId", "id")
    )`.execute(db)
  await index(db, 'warrantyRequests', [
    ...['homeId', 'communityId', 'planId', 'status', 'severity', 'vendorId', 'responsibleVendorId', 'isOverdue'],
    ...['visitId', 'partId', 'coverageId', 'assigneeUserId', 'repeatOfId', 'createdAt', 'updatedAt'],
  ])
  await sql`create unique index "warrantyRequests_number_key" on "warrantyRequests" ("organizationId", "number")`.execute(
    db,
  )
  await uniqueExternalId(db, 'warrantyRequests')
  await sql`create index "warrantyRequests_nextDueAt" on "warrantyRequests" ("nextDueAt", "id") where "nextDueAt" is not null`.execute(
    db,
  )
  await sql`
    create trigger "searchable_new" after insert on "warrantyRequests"
    for each row execute function "noteSearchable"()`.execute(db)
  await sql`
    create trigger "searchable_changed" after update on "warrantyRequests"
    for each row when (old."location" is distinct from new."location" or old."description" is distinct from new."description"
      or old."scope" is distinct from new."scope" or old."reportedBy" is distinct from new."reportedBy")
    execute function "noteSearchable"()`.execute(db)
  await sql`
    create table "visits" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "homeId" text collate "C" not null,
      "communityId" text collate "C" not null,
      "requestIds" text[] not null,
      "vendorId" text collate "C",
      "assigneeUserId" text collate "C",
      "date" date not null,
      "window" text not null,
      "status" text not null,
      "vendorNote" text,
      "notes" text,
      "externalId" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "visits_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "visits_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id"),
      constraint "visits_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "visits_assigneeUserId_fkey" foreign key ("organizationId", "assigneeUserId") references "users" ("organizationId", "id")
    )`.execute(db)
  await index(db, 'visits', [
    'homeId',
    'communityId',
    'vendorId',
    'assigneeUserId',
    'status',
    'date',
    'createdAt',
    'updatedAt',
  ])
  await uniqueExternalId(db, 'visits')
  await sql`
    alter table "warrantyRequests" add constraint "warrantyRequests_visitId_fkey"
    foreign key ("organizationId", "visitId") references "visits" ("organizationId", "id")`.execute(db)
  await sql`
    alter table "purchaseOrders" add constraint "purchaseOrders_warrantyRequestId_fkey"
    foreign key ("organizationId", "warrantyRequestId") references "warrantyRequests" ("organizationId", "id") not valid`.execute(
    db,
  )
  await insertTerms(db)
}

/** Existing builders receive the same terms as new builders. */
async function insertTerms(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select "id" from "organizations" order by "id"`.execute(db)
  for (const { id } of rows)
    for (const [name, months, scopes] of [
      ['Workmanship', 12, []],
      ['Systems', 24, ['plumbing', 'electrical', 'hvac']],
      ['Structure', 120, ['foundation', 'framing']],
    ] as const)
      await sql`
        insert into "warrantyTerms" ("organizationId", "id", "name", "months", "scopes", "partIds", "version", "createdBy", "createdAt", "updatedAt")
        values (${id}, ${typeid('wtm').toString()}, ${name}, ${months}, ${[...scopes]}::text[], '{}', 1, '{"type":"system","id":null}', now(), now())`.execute(
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
