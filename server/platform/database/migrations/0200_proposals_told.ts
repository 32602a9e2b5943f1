import { type Kysely, sql } from 'kysely'

/**
 * Proposals are announced as events to those who may run what is proposed, and are deleted some time after they are
 * settled.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Permissions needed to read an event in addition to that of its type; usually none.
  await sql`alter table "events" add column "permissions" text[] collate "C"`.execute(db)
  // For the job that deletes settled proposals of any builder.
  await sql`create index "proposals_settled" on "proposals" ("updatedAt") where "status" <> 'proposed'`.execute(db)
}
