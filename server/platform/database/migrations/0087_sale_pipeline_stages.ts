import { type Kysely, sql } from 'kysely'

/** Adds the stages that each new sale of a builder goes through until closing, in order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "organizations" add column "salePipelineStages" text[] not null default array['contract_signed',
      'deposit_received', 'financing_approved', 'contingencies_cleared', 'selections_final', 'permit_ready',
      'walkthrough_done', 'closed']`.execute(db)
}
