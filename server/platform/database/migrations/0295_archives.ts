import { type Kysely, sql } from 'kysely'

/**
 * The files in which rows were archived before they were deleted. The process that writes a file claims the builder's
 * rows of that kind until `claimedUntil`. A `loose` file is not, or no longer, an archive, and is deleted later.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "archives" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "kind" text collate "C" not null,
      "month" date not null,
      "status" text collate "C" not null check ("status" in ('writing', 'rewriting', 'kept', 'loose')),
      "records" integer,
      "size" integer,
      "sha256" text collate "C",
      "claimedUntil" timestamptz(3) check (("status" = 'kept') = ("claimedUntil" is null)),
      "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "archives_kept" check ("status" <> 'kept' or ("records" is not null and "size" is not null and "sha256" is not null))
    )`.execute(db)
  await sql`
    create unique index "archives_writing" on "archives" ("organizationId", "kind") where "status" = 'writing'`.execute(
    db,
  )
  await sql`create index "archives_claimed" on "archives" ("claimedUntil") where "status" <> 'kept'`.execute(db)
}
