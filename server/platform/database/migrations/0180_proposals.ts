import { type Kysely, sql } from 'kysely'

/** Adds keys that can only propose changes, and their proposals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "apiKeys" add column "proposeOnly" boolean not null default false`.execute(db)
  await sql`
    create table "proposals" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "skill" text collate "C" not null,
      "input" jsonb not null,
      "note" text,
      "status" text collate "C" not null,
      "outcome" jsonb not null,
      "expiresAt" timestamptz(3) not null,
      "decidedBy" jsonb,
      "decidedAt" timestamptz(3),
      "decisionReason" text,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create index "proposals_updatedAt" on "proposals" ("organizationId", "updatedAt", "id")`.execute(db)
  for (const column of ['status', 'skill'] as const)
    await sql`create index ${sql.ref(`proposals_${column}`)} on "proposals" ("organizationId", ${sql.ref(column)}, "id")`.execute(
      db,
    )
  // Only a few proposals are open at a time, and a job searches the expired proposals of all builders.
  await sql`create index "proposals_expiring" on "proposals" ("expiresAt") where "status" = 'proposed'`.execute(db)
}
