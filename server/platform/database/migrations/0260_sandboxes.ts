import { type Kysely, sql } from 'kysely'

/**
 * The builders that are sandboxes, and the progress of filling or emptying each of them. The process that does the work
 * stores its claim in `claim` and `claimedUntil`, so that no other process does the same work. If the process ends,
 * another process continues after `claimedUntil`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "sandboxes" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "status" text collate "C" not null,
      "done" integer not null,
      "total" integer not null,
      "failure" text collate "C",
      "startedBy" text collate "C",
      "startedAt" timestamptz(3),
      "finishedAt" timestamptz(3),
      "filledSince" timestamptz(3),
      "claim" text collate "C",
      "claimedUntil" timestamptz(3)
    )`.execute(db)
  // This index is for the job that searches for work, and for all other jobs, which skip these builders.
  await sql`
    create index "sandboxes_underWay" on "sandboxes" ("organizationId") where "status" in ('filling', 'emptying')`.execute(
    db,
  )
}
