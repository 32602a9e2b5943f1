import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Vendors can request their portal links with just an email address, so the vendors of all builders are searched. */
export const ahead: readonly LargeIndex[] = [
  { name: 'vendors_mailKeys', on: '"vendors" using gin ("vendorMailKeys"("email", "contacts"))' },
]

/**
 * Adds the phone number of the builder's office, which the portal shows if there is a problem, and an index for finding
 * vendors by the lowercase email addresses that receive their emails.
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
