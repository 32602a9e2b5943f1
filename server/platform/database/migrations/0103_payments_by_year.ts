import { type Kysely, sql } from 'kysely'

/** This index is for summing the payments of a year by vendor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "payments_paid" on "payments" ("organizationId", "paidDate", "vendorId")
      include ("amount", "method") where "status" = 'paid'`.execute(db)
}
