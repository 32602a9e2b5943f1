import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/**
 * With this index, the job that updates old rows finds them without reading all vendors. The migration itself builds
 * the index, because the column is new.
 */
export const ahead: readonly LargeIndex[] = [
  { name: 'vendors_hasOldKeys', on: '"vendors" ("organizationId", "id") where "hasOldKeys"' },
]

/**
 * Ignores more differences in spelling when vendors are compared: accents, "&" and "and", more legal forms, repeated
 * legal forms, and extensions of phone numbers. The keys are stored columns, which PostgreSQL computes whenever it
 * writes a row. Existing rows have "hasOldKeys" until a job updates them in batches. Until then, they are found by
 * their old keys.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select from pg_collation where "collname" = 'und-x-icu'`.execute(db)
  const collation = sql.raw(rows.length > 0 ? 'collate "und-x-icu"' : '')
  // Separates accents from letters and removes them. Letters that Unicode does not decompose are replaced individually.
  await sql`
    create or replace function "vendorNameKey"(name text) returns text language sql immutable parallel safe return
      nullif(regexp_replace(
        regexp_replace(
          regexp_replace(
            translate(
              regexp_replace(lower(normalize(name, NFKD) ${collation}), '[\u0300-\u036F''’.]', '', 'g'),
              U&'\\0142\\00F8\\0111\\0131', 'lodi'),
            '(^|[[:space:]]+)(and|y|und)[[:space:]]+', ' ', 'g'),
          '([[:space:],]+(llc|llp|lllp|lp|pllc|pc|inc|ltd|co|corp|company|incorporated|limited|corporation|gmbh|plc|srl|sarl|sa|sa de cv|s de rl de cv|ltda))+[[:space:]]*$', ''),
        '[[:space:][:punct:]+]+', '', 'g'), '')`.execute(db)
  await sql`
    create or replace function "vendorPhoneKey"(phone text) returns text language sql immutable parallel safe return (
      select case when length(digits) >= 7 then right(digits, 10) end
      from (select regexp_replace(
        regexp_replace(lower(phone), '[[:space:],;]*(extension|ext|x|#)[.:[:space:]]*[0-9]+[[:space:]]*$', ''),
        '[^0-9]+', '', 'g') as digits) as main)`.execute(db)
  // Existing rows receive the first default value, and new rows the second.
  await sql`alter table "vendors" add column "hasOldKeys" boolean not null default true`.execute(db)
  await sql`alter table "vendors" alter column "hasOldKeys" set default false`.execute(db)
  await createIndexes(db, ahead)
}
