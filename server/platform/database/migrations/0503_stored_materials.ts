import { type Kysely, sql } from 'kysely'

/**
 * The ledger also measures materials that are stored but not installed. Existing postings have one of the earlier
 * measures, so they need no check.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "postings" drop constraint "postings_measure_check"`.execute(db)
  await sql`
    alter table "postings" add constraint "postings_measure_check" check ("measure" in ('commitment', 'cost', 'unbilled',
      'payable', 'retainage', 'paid', 'discount', 'withheldTax', 'payroll', 'other', 'budget', 'contract', 'ownerBilled',
      'ownerRetainage', 'ownerReceived', 'loan', 'stored')) not valid`.execute(db)
}
