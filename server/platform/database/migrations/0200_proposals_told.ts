import { type Kysely, sql } from 'kysely'

/**
 * Proposals are announced as events to users who may run the proposed operation, and are deleted some time after they
 * are settled.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Permissions needed to read an event, in addition to the permission of its type; usually none.
  await sql`alter table "events" add column "permissions" text[] collate "C"`.execute(db)
  // The job that deletes settled proposals of all builders uses this index.
  await sql`create index "proposals_settled" on "proposals" ("updatedAt") where "status" <> 'proposed'`.execute(db)
}
