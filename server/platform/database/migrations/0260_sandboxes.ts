import { type Kysely, sql } from 'kysely'

/**
 * Which builders are sandboxes, and how far filling or emptying them has come. Whoever does it holds it until
 * `claimedUntil`, by `claim`, so that nobody else does the same and what a process left behind is taken up.
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
  // For the job that looks for work, and for all others, which leave these builders alone.
  await sql`
    create index "sandboxes_underWay" on "sandboxes" ("organizationId") where "status" in ('filling', 'emptying')`.execute(
    db,
  )
}
