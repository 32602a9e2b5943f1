import { type Kysely, sql } from 'kysely'

/**
 * The requirement of a lien waiver is set on the order; otherwise on the vendor; otherwise on the organization.
 * Existing vendors without the requirement get no setting of their own, because there was no other value. Nothing
 * changes for these vendors until the builder sets a default.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "lienWaiverRequired" boolean not null default false`.execute(db)
  await sql`alter table "purchaseOrders" add column "lienWaiverRequired" boolean`.execute(db)
  await sql`alter table "vendors" alter column "lienWaiverRequired" drop not null`.execute(db)
  await sql`update "vendors" set "lienWaiverRequired" = null where not "lienWaiverRequired"`.execute(db)
}
