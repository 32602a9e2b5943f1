import { type Kysely, sql } from 'kysely'

/**
 * Adds a measure for materials that are stored but not installed. Existing postings have earlier measures, so they are
 * not validated again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "postings" drop constraint "postings_measure_check"`.execute(db)
  await sql`
    alter table "postings" add constraint "postings_measure_check" check ("measure" in ('commitment', 'cost', 'unbilled',
      'payable', 'retainage', 'paid', 'discount', 'withheldTax', 'payroll', 'other', 'budget', 'contract', 'ownerBilled',
      'ownerRetainage', 'ownerReceived', 'loan', 'stored')) not valid`.execute(db)
}
