import { type Kysely, sql } from 'kysely'

/** Adds salespeople and their commissions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "users" drop constraint "users_role_check",
      add constraint "users_role_check"
        check ("role" in ('owner', 'admin', 'estimator', 'superintendent', 'salesperson', 'accountant', 'viewer'))`.execute(
    db,
  )
  await sql`
    alter table "sales" add column "commissionPercent" numeric(5,2), add column "commissionAmount" numeric(14,2),
      add constraint "sales_commission_check" check (num_nonnulls("commissionPercent", "commissionAmount") <= 1)`.execute(
    db,
  )
}
