import { type Kysely, sql } from 'kysely'

/** What was paid in a year is added up by vendor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "payments_paid" on "payments" ("organizationId", "paidDate", "vendorId")
      include ("amount", "method") where "status" = 'paid'`.execute(db)
}
