import { type Kysely, sql } from 'kysely'

/**
 * Whether payments require a lien waiver is set on the order, or else the vendor, or else the organization. Existing
 * vendors without the requirement get no setting of their own, because there was no other value; nothing changes for
 * them until the builder sets a default.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "lienWaiverRequired" boolean not null default false`.execute(db)
  await sql`alter table "purchaseOrders" add column "lienWaiverRequired" boolean`.execute(db)
  await sql`alter table "vendors" alter column "lienWaiverRequired" drop not null`.execute(db)
  await sql`update "vendors" set "lienWaiverRequired" = null where not "lienWaiverRequired"`.execute(db)
}
