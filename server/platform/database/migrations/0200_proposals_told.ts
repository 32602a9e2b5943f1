import { type Kysely, sql } from 'kysely'

/** Proposals are told as events, to those who may run what is proposed, and forgotten some time after they are settled. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // What reading an event takes besides the permission of its type; most take nothing more.
  await sql`alter table "events" add column "permissions" text[] collate "C"`.execute(db)
  // For the job that forgets, whichever builder's they are.
  await sql`create index "proposals_settled" on "proposals" ("updatedAt") where "status" <> 'proposed'`.execute(db)
}
