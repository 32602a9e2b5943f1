import { type Kysely, sql } from 'kysely'

/**
 * Proposals have events for the users who may execute the proposed operation. Settled proposals are deleted after some
 * time.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The permissions that are required to read an event in addition to the permission of its type; usually none.
  await sql`alter table "events" add column "permissions" text[] collate "C"`.execute(db)
  // This index is for the job that deletes settled proposals of all builders.
  await sql`create index "proposals_settled" on "proposals" ("updatedAt") where "status" <> 'proposed'`.execute(db)
}
