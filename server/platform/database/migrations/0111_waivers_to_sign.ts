import { type Kysely, sql } from 'kysely'

/** A vendor looks in its portal for the waivers that it has still to sign, among all that it ever signed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index "lienWaivers_vendorId_status" on "lienWaivers" ("organizationId", "vendorId", "status", "id")`.execute(
    db,
  )
}
