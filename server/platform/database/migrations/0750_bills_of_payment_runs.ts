import { type Kysely, sql } from 'kysely'

/** Adds the bills to which a payment run is limited. Existing runs were not limited to bills. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "paymentRuns" add column "billIds" text[] not null default '{}'`.execute(db)
}
