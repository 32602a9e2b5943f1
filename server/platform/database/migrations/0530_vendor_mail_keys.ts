import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** A vendor requests its portal links with its email address only, so the vendors of all builders are searched. */
export const ahead: readonly LargeIndex[] = [
  { name: 'vendors_mailKeys', on: '"vendors" using gin ("vendorMailKeys"("email", "contacts"))' },
]

/**
 * Adds the phone number of the builder's office, which the portal shows when something does not work, and the search
 * for vendors by the addresses to which they get mail, in lowercase.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "organizations" add column "phone" text`.execute(db)
  await sql`
    create function "vendorMailKeys"(email text, contacts json) returns text[] language sql immutable parallel safe return
      array_remove(array_append(array(
        select lower(contact ->> 'email')
        from json_array_elements(case when json_typeof(contacts) = 'array' then contacts else '[]'::json end) as contact
        where contact ->> 'notify' = 'true'), lower(email)), null)`.execute(db)
  await createIndexes(db, ahead)
}
