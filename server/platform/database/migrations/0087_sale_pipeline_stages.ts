import { type Kysely, sql } from 'kysely'

/** Adds the stages from the creation of a sale to its closing, in order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "organizations" add column "salePipelineStages" text[] not null default array['contract_signed',
      'deposit_received', 'financing_approved', 'contingencies_cleared', 'selections_final', 'permit_ready',
      'walkthrough_done', 'closed']`.execute(db)
}
