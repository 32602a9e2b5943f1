import { type Kysely, sql } from 'kysely'

/** For summing what was paid in a year by vendor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "payments_paid" on "payments" ("organizationId", "paidDate", "vendorId")
      include ("amount", "method") where "status" = 'paid'`.execute(db)
}
