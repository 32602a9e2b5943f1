import { type Kysely, sql } from 'kysely'

/**
 * The keys by which vendors are compared: the name without punctuation, letter case, or legal form, the email address
 * without letter case, and the last ten digits of the phone number, which exclude a country code. The keys are stored
 * in columns, because with row-level security PostgreSQL uses indexes only for stored texts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "vendorNameKey"(name text) returns text language sql immutable parallel safe return
      nullif(regexp_replace(
        regexp_replace(lower(name), '[[:space:],]+(l\\.?l\\.?c|inc|ltd|co|corp|company|incorporated|limited|corporation)\\.?[[:space:]]*$', ''),
        '[[:space:][:punct:]]+', '', 'g'), '')`.execute(db)
  await sql`
    create function "vendorPhoneKey"(phone text) returns text language sql immutable parallel safe return
      case when length(regexp_replace(phone, '[^0-9]+', '', 'g')) >= 7
        then right(regexp_replace(phone, '[^0-9]+', '', 'g'), 10) end`.execute(db)
  await sql`
    alter table "vendors"
      add column "nameKey" text collate "C" generated always as ("vendorNameKey"("companyName")) stored,
      add column "emailKey" text collate "C" generated always as (lower("email")) stored,
      add column "phoneKey" text collate "C" generated always as ("vendorPhoneKey"("phone")) stored`.execute(db)
  for (const column of ['nameKey', 'emailKey', 'phoneKey']) {
    await sql`
      create index ${sql.id(`vendors_${column}`)} on "vendors" ("organizationId", ${sql.ref(column)}, "id")
      where "archivedAt" is null and ${sql.ref(column)} is not null`.execute(db)
  }
}
