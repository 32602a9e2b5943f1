import { type Kysely, sql } from 'kysely'

/**
 * Whether an order requires a lien waiver is set on the order or, if it is not set there, on the vendor or on the
 * organization. Existing vendors that did not require a lien waiver now have no setting, because the other value did
 * not mean an exemption. For them, nothing changes until the builder sets a default.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "lienWaiverRequired" boolean not null default false`.execute(db)
  await sql`alter table "purchaseOrders" add column "lienWaiverRequired" boolean`.execute(db)
  await sql`alter table "vendors" alter column "lienWaiverRequired" drop not null`.execute(db)
  await sql`update "vendors" set "lienWaiverRequired" = null where not "lienWaiverRequired"`.execute(db)
}
