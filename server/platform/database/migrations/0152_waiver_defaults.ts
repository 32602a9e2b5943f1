import { type Kysely, sql } from 'kysely'

/**
 * Whether payments take a lien waiver is said by the order, or else by the vendor, or else by the organization. A vendor
 * without the rule had said nothing, because there was no other way to say so; and nothing changes for it until the
 * builder sets one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "lienWaiverRequired" boolean not null default false`.execute(db)
  await sql`alter table "purchaseOrders" add column "lienWaiverRequired" boolean`.execute(db)
  await sql`alter table "vendors" alter column "lienWaiverRequired" drop not null`.execute(db)
  await sql`update "vendors" set "lienWaiverRequired" = null where not "lienWaiverRequired"`.execute(db)
}
