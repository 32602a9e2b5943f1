import { type Kysely, sql } from 'kysely'

/**
 * A vendor's portal lists the lien waivers to be signed, which are few compared to those that the vendor has already
 * signed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "lienWaivers_vendorId_status" on "lienWaivers" ("organizationId", "vendorId", "status", "id")`.execute(
    db,
  )
}
