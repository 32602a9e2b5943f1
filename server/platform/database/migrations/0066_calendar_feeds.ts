import { type Kysely, sql } from 'kysely'

/** Adds superintendents, and the calendar feeds of users and vendors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['communities', 'homes'] as const) {
    await sql`
      alter table ${sql.table(table)}
        add column "superintendentId" text collate "C",
        add constraint ${sql.ref(`${table}_superintendentId_fkey`)} foreign key ("organizationId", "superintendentId") references "users" ("organizationId", "id")`.execute(
      db,
    )
    await sql`
      create index ${sql.ref(`${table}_superintendentId`)} on ${sql.table(table)} ("organizationId", "superintendentId", "id")
      where "superintendentId" is not null`.execute(db)
  }
  await sql`
    create table "calendarFeeds" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "vendorId" text collate "C",
      "userId" text collate "C",
      "communityId" text collate "C",
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id"),
      constraint "calendarFeeds_subject" check (("vendorId" is null) <> ("userId" is null)),
      constraint "calendarFeeds_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id"),
      constraint "calendarFeeds_userId_fkey" foreign key ("organizationId", "userId") references "users" ("organizationId", "id"),
      constraint "calendarFeeds_communityId_fkey" foreign key ("organizationId", "communityId") references "communities" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "calendarFeeds_updatedAt" on "calendarFeeds" ("organizationId", "updatedAt", "id")`.execute(db)
  for (const column of ['vendorId', 'userId', 'communityId'] as const)
    await sql`
      create index ${sql.ref(`calendarFeeds_${column}`)} on "calendarFeeds" ("organizationId", ${sql.ref(column)}, "id")
      where ${sql.ref(column)} is not null`.execute(db)

  // A feed is found only by the hash of the token in its URL, across organizations. The token itself is not stored. The
  // hashes of revoked feeds are kept, so that the service can respond that a feed was revoked instead of "not found".
  await sql`
    create table "calendarAddresses" (
      "hash" bytea primary key,
      "organizationId" text collate "C" not null,
      "feedId" text collate "C" not null,
      constraint "calendarAddresses_feedId_key" unique ("organizationId", "feedId"),
      constraint "calendarAddresses_feedId_fkey" foreign key ("organizationId", "feedId") references "calendarFeeds" ("organizationId", "id")
    )`.execute(db)

  // Indexes for the open tasks of a vendor or a home, which are only a small part of all tasks. The tasks of a
  // superintendent are found for each home separately.
  await sql`
    create index "tasks_openOfHome" on "tasks" ("organizationId", "homeId", "plannedStart", "id")
    where "status" in ('not_started', 'in_progress', 'on_hold')`.execute(db)
  await sql`
    create index "tasks_openOfVendor" on "tasks" ("organizationId", "vendorId", "plannedStart", "id")
    where "status" in ('not_started', 'in_progress', 'on_hold')`.execute(db)
}
