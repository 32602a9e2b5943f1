import { type Kysely, sql } from 'kysely'

/** The condition for the records among which each key must be unique, which is the same as in the replaced indexes. */
const ACTIVE = '"archivedAt" is null'
const ON_LOT = `"lotNumber" is not null and "status" <> 'cancelled'`

interface UniqueKey {
  table: string
  column: string
  /** The columns of the index that precede the key. */
  within?: readonly string[]
  among: string
}

const ofAccounting = (table: string): UniqueKey => ({
  ...{ table, column: 'accountingId', among: '"accountingId" is not null' },
})

const KEYS: readonly UniqueKey[] = [
  { table: 'parts', column: 'sku', among: ACTIVE },
  { table: 'costCodes', column: 'code', among: ACTIVE },
  { table: 'communities', column: 'code', among: ACTIVE },
  { table: 'plans', column: 'code', among: ACTIVE },
  { table: 'options', column: 'code', among: ACTIVE },
  {
    ...{ table: 'homes', column: 'lotNumber', within: ['communityId', 'blockKey'] },
    among: `${ON_LOT} and ("archivedAt" is null or "status" = 'archived')`,
  },
  { table: 'sales', column: 'lotNumber', within: ['communityId', 'blockKey'], among: ON_LOT },
  ...['vendors', 'communities', 'homes', 'costCodes', 'contracts', 'purchaseOrders', 'payments'].map(ofAccounting),
]

/**
 * Makes keys that users enter unique regardless of letter case, surrounding spaces, and Unicode form. The stored
 * spelling stays the same.
 *
 * If existing records have equal keys in this sense, they are not changed, so that the upgrade cannot fail. The oldest
 * of these records keeps its key. The others have "hasSharedKey", which exempts them from the rule until their key
 * changes. The database log contains a warning for each of these records.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // With the collation "C", lower() changes only ASCII letters, so use an ICU collation if there is one. All usual
  // builds of PostgreSQL have it.
  const { rows } = await sql`select from pg_collation where "collname" = 'und-x-icu'`.execute(db)
  const collation = sql.raw(rows.length > 0 ? 'collate "und-x-icu"' : '')
  await sql`
    create function "typedKey"(key text) returns text language sql immutable parallel safe return
      lower(normalize(btrim(key, U&' \\0009\\000A\\000B\\000C\\000D\\00A0\\FEFF'), NFC) ${collation})`.execute(db)
  const tables = new Map<string, UniqueKey[]>()
  for (const key of KEYS) tables.set(key.table, [...(tables.get(key.table) ?? []), key])
  for (const [table, keys] of tables) await addKeys(db, table, keys)
}

async function addKeys(db: Kysely<unknown>, table: string, keys: readonly UniqueKey[]): Promise<void> {
  const columns = keys.map(
    ({ column }) => `add column "${column}Key" text collate "C" generated always as ("typedKey"("${column}")) stored`,
  )
  if (keys.some(({ within }) => within?.includes('blockKey') === true))
    columns.push(
      `add column "blockKey" text collate "C" generated always as (coalesce("typedKey"("block"), '')) stored`,
    )
  columns.push('add column "hasSharedKey" boolean not null default false')
  await sql.raw(`alter table "${table}" ${columns.join(', ')}`).execute(db)
  for (const { column, within = [], among } of keys) {
    const names = ['organizationId', ...within, `${column}Key`].map((name) => `"${name}"`).join(', ')
    await sql
      .raw(`
        update "${table}" as t set "hasSharedKey" = true
        from (
          select "organizationId", "id", row_number() over (partition by ${names} order by "id") as "place"
          from "${table}" where ${among} and "${column}Key" is not null
        ) as ranked
        where ranked."place" > 1 and t."organizationId" = ranked."organizationId" and t."id" = ranked."id"`)
      .execute(db)
    await sql.raw(`drop index "${table}_${column}_key"`).execute(db)
    // These indexes are for lookups, which also find the records with equal keys.
    await sql.raw(`create index "${table}_${column}Key" on "${table}" (${names}, "id")`).execute(db)
    if (within.length > 0)
      await sql
        .raw(`create index "${table}_${column}Order" on "${table}" ("organizationId", "${column}Key", "id")`)
        .execute(db)
    if (column === 'accountingId')
      await sql
        .raw(
          `create index "${table}_accountingIdOrder" on "${table}" ("organizationId", "accountingId") where ${among}`,
        )
        .execute(db)
    await sql
      .raw(
        `create unique index "${table}_${column}_key" on "${table}" (${names}) where ${among} and not "hasSharedKey"`,
      )
      .execute(db)
  }
  await sql
    .raw(`
      do $$ declare shared record; begin
        for shared in select "organizationId", "id" from "${table}" where "hasSharedKey" loop
          raise warning '${table} % of % differs from another record only in case, spaces or Unicode form', shared."id", shared."organizationId";
        end loop;
      end $$`)
    .execute(db)
  // When a key changes, its record is no longer exempt. For lots, this also applies when the block changes.
  const watched = keys.flatMap(({ column, within = [] }) => [column, ...(within.length > 0 ? ['block'] : [])])
  const changed = watched.map((column) => `old."${column}" is distinct from new."${column}"`).join(' or ')
  await sql
    .raw(`
      create function "${table}_end_shared_key"() returns trigger language plpgsql as $$
        begin new."hasSharedKey" := false; return new; end $$`)
    .execute(db)
  await sql
    .raw(`
      create trigger "${table}_end_shared_key" before update on "${table}" for each row
      when (old."hasSharedKey" and (${changed})) execute function "${table}_end_shared_key"()`)
    .execute(db)
}
