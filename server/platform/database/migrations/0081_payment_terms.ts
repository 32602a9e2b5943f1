import { type Kysely, sql } from 'kysely'

/** Adds the payment terms of vendors, and discounts for early payment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendors"
      add column "paymentTerms" jsonb not null default '{"netDays": 30, "discountPercent": 0, "discountDays": 0}'`.execute(
    db,
  )
  await sql`alter table "vendors" alter column "paymentTerms" drop default`.execute(db)
  // Existing discounts were entered together with the payment, regardless of its due date.
  await sql`
    alter table "payments"
      add column "discountAmount" numeric(14,2) not null default 0,
      add column "discountDueDate" date`.execute(db)
  await sql`
    update "payments" set "discountAmount" = "discountTaken" where "discountTaken" <> 0`.execute(db)
  await sql`
    update "payments" set "discountTaken" = 0, "amount" = "amount" + "discountTaken"
    where "discountTaken" <> 0 and "status" in ('pending', 'approved')`.execute(db)
  await sql`alter table "payments" alter column "discountAmount" drop default`.execute(db)
}
