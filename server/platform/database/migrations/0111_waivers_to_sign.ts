import { type Kysely, sql } from 'kysely'

/**
 * A vendor's portal lists the few lien waivers that the vendor still has to sign, among all that the vendor has ever
 * signed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "lienWaivers_vendorId_status" on "lienWaivers" ("organizationId", "vendorId", "status", "id")`.execute(
    db,
  )
}
