import { setTimeout } from 'node:timers/promises'
import type { Operation, OperationId } from '../../server/platform/calls/contract.ts'
import { contract } from '../conformance/walked-contract.ts'

/** Determines which lists are filled with copies of a record, and which queries are measured. */

/** Lists that stay short although they are not nested in a record, each with the reason. */
const SHORT_LISTS: Partial<Record<OperationId, string>> = {
  listSkills: 'it stands in the contract',
  listEventTypes: 'it stands in the contract',
  listScopes: 'a builder has some hundred',
  listMessageTemplates: 'a builder has one of each kind',
  listWebhooks: 'a builder has at most fifty',
  listStatusChanges: 'a record has few of them, and is found by its index',
}

/** The lists that grow over the years. Nested lists are left out, because they stay short. */
export const LONG_LISTS: readonly Operation[] = [...contract.operations.values()].filter(
  ({ id, method, path }) =>
    method === 'GET' && id.startsWith('list') && !/^\/api\/portal\/|\{/.test(path) && SHORT_LISTS[id] === undefined,
)

/** Filters that may read a whole list, because a builder has at most a few thousand of these records. */
const MAY_READ_ALL = new Set(['listVendors scope', 'listCostCodes scope'])

/** Runs a statement on a connection and returns its rows. */
export type Sql = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>

export interface QueryVariant {
  name: string
  target: string
}

/** A list, its path, and one of its records. */
interface ListUnderTest {
  operation: Operation
  address: string
  record: Record<string, unknown>
  /** A word with which a search finds the record and its copies; empty if there is none. */
  common: string[]
}

/**
 * Returns the queries for every sort order and filter of a long list. For each filter, uses a value that all copies of
 * the record have and a value that no copy has.
 */
export function listQueryVariants({ operation, address, record, common }: ListUnderTest): QueryVariant[] {
  const separator = address.includes('?') ? '&' : '?'
  const ask = (name: string, value: string): QueryVariant => ({
    name: `${name}=${value}`,
    target: `${address}${separator}limit=20&${name}=${encodeURIComponent(value)}`,
  })
  return [
    { name: 'as it is', target: `${address}${separator}limit=20` },
    ...(operation.declaration.parameters ?? []).flatMap((declared) => {
      const { name, in: where, required } = contract.resolve(declared)
      if (MAY_READ_ALL.has(`${operation.id} ${name}`)) return []
      const schema = contract.resolve((contract.resolve(declared) as { schema: object }).schema) as Schema
      if (where !== 'query' || required === true || UNTESTED_PARAMETERS.has(name)) return []
      if (name === 'sort') return (schema.enum ?? []).map((order) => ask('sort', order))
      // Searches for a word that no record contains, a word that a hundred records contain, and a word that all records
      // contain.
      if (name === 'q') return ['zzqx', '7777', ...common].map((word) => ask('q', word))
      if (name === 'ids') return [ask('ids', String(record.id))]
      if (name.endsWith('After')) return [ask(name, '2020-01-01T00:00:00Z'), ask(name, '2099-01-01T00:00:00Z')]
      return chooseValues(schema, record[name]).map((value) => ask(name, value))
    }),
  ]
}

const UNTESTED_PARAMETERS = new Set(['limit', 'cursor', 'includeArchived'])

interface Schema {
  enum?: string[]
  type?: string | string[]
  format?: string
}

/** Returns a value that the records have and a value that they do not have, if there are such values. */
function chooseValues({ enum: all, type, format }: Schema, present: unknown): string[] {
  if (all !== undefined)
    return [...new Set([present ?? all[0], all.find((each) => each !== present)])].flatMap((each) =>
      each == null ? [] : [String(each)],
    )
  if (type === 'boolean') return ['true', 'false']
  if (format === 'date') return ['2020-01-01', '2099-01-01']
  if (typeof present !== 'string') return typeof type === 'string' && type !== 'string' ? [] : ['zzzz']
  const other = present.slice(0, -4) + (present.endsWith('zzzz') ? 'yyyy' : 'zzzz')
  return [present, other]
}

/** Returns the table that contains the resource with this ID; null if there is none. */
export async function findTable(sql: Sql, id: string): Promise<string | null> {
  // Events are found by their prefix, because no other table refers to them.
  if (id.startsWith('evt_')) return 'events'
  const rows = await sql(
    `select c."relname" as "table" from pg_index i join pg_class c on c.oid = i.indrelid
     where i.indisprimary and c.relnamespace = 'public'::regnamespace
       and pg_get_indexdef(i.indexrelid) like '%("organizationId", id)'`,
  )
  for (const { table } of rows) {
    const found = await sql(`select from "${table}" where "id" = $1`, [id])
    if (found.length > 0) return String(table)
  }
  return null
}

/**
 * Columns that must be unique, or nearly always are. Each copy refers to a different record of a table that is already
 * long.
 */
const OTHER_REFERENCES: Record<string, { column: string; table: string }> = {
  bids: { column: 'vendorId', table: 'vendors' },
  tasks: { column: 'homeId', table: 'homes' },
}

interface CopyRequest {
  table: string
  organizationId: string
  id: string
  from: number
  to: number
  another?: { column: string; table: string } | undefined
}

/**
 * Copies a row. Each copy has its own ID and its own values in unique columns. Each copy is one second older than the
 * previous one, except that copies of events become newer.
 */
export async function addCopies(
  sql: Sql,
  { table, organizationId, id, from, to, another = OTHER_REFERENCES[table] }: CopyRequest,
): Promise<void> {
  const rows = await sql(
    `select c."column_name" as "name", c."data_type" as "type",
       exists (select from pg_index i join pg_attribute a on a.attrelid = i.indrelid
         where i.indrelid = ('public."' || $1 || '"')::regclass and i.indisunique and a.attname = c."column_name"
           and (a.attnum = any(i.indkey) or pg_get_expr(i.indexprs, i.indrelid) ~ ('\\m' || a.attname || '\\M'))) as "unique"
     from information_schema.columns c
     where c."table_schema" = 'public' and c."table_name" = $1 and c."is_generated" = 'NEVER' and c."is_identity" = 'NO'
     order by c."ordinal_position"`,
    [table],
  )
  const values = rows.map(({ name, type, unique }) => {
    if (name === 'id') return `left(t."id", -8) || lpad(to_hex(n), 8, '0')`
    if (name === another?.column) return 'another."id"'
    if (name === 'occurredAt') return `t."${name}" + n * interval '1 millisecond'`
    if (name === 'createdAt' || name === 'updatedAt') return `t."${name}" - n * interval '1 second'`
    if (unique !== true || name === 'organizationId' || /Ids?$/.test(String(name))) return `t."${name}"`
    if (type === 'text') return `t."${name}" || ' ' || n`
    if (type === 'date') return `t."${name}" + 10000 + n::int`
    return /^(integer|numeric|bigint|smallint)$/.test(String(type)) ? `t."${name}" + n::int` : `t."${name}"`
  })
  const names = rows.map(({ name }) => `"${name}"`).join(', ')
  const others =
    another === undefined
      ? ''
      : `join (select "id", row_number() over (order by "id") as "place" from "${another.table}" where "organizationId" = $1) another
           on another."place" = n`
  await sql(
    `insert into "${table}" (${names})
     select ${values.join(', ')} from "${table}" t cross join generate_series($3::int, $4::int) n ${others}
     where t."organizationId" = $1 and t."id" = $2 on conflict do nothing`,
    [organizationId, id, from, to],
  )
  // Copies the words in the search index as well, and adds the copy's number to each. Otherwise, the service would
  // index the copies in the background. Some kinds of records cannot be searched by words.
  await sql('truncate "searchQueue"')
  const [found] = await sql('select from "searchWords" where "organizationId" = $1 and "recordId" = $2 limit 1', [
    organizationId,
    id,
  ])
  if (found === undefined) {
    await vacuumUntilVisible(sql, [table])
    return
  }
  await sql(
    `insert into "searchWords" ("organizationId", "kind", "recordId", "word")
     select w."organizationId", w."kind", left(w."recordId", -8) || lpad(to_hex(n), 8, '0'), v."word"
     from (select "organizationId", "kind", "recordId", array_append(array_agg("word"), '') as "words" from "searchWords"
       where "organizationId" = $1 and "recordId" = $2 group by 1, 2, 3) w, generate_series($3::int, $4::int) n,
       lateral (select distinct coalesce(nullif(u."word", ''), n::text) as "word" from unnest(w."words") as u ("word")) v
     on conflict do nothing`,
    [organizationId, id, from, to],
  )
  await vacuumUntilVisible(sql, [table, 'searchWords'])
}

/** Transactions of the service end within this time. After that, a vacuum can process all rows. */
const MAX_WAIT_MS = 30_000
const PAUSE_MS = 20
/**
 * The maximum number of pages that may stay unmarked after a vacuum, for example because they are in use at that
 * moment.
 */
const MAX_UNMARKED_PAGES = 4

/**
 * Commits a message synchronously, which also writes the log of all earlier commits. With `synchronous_commit = off`, a
 * vacuum does not mark rows as visible before the log of their commit is written. The commits of up to 32 transactions
 * count as one, so every later commit hides the rows again until the server writes its log, several times a second.
 */
const WRITE_LOG = `select set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, 'plumbline', '')`

/**
 * Vacuums tables until nearly all of their rows are visible to every transaction. While another transaction is open, a
 * vacuum does not mark new rows as visible. An index-only scan must then also read the table, and the number of blocks
 * would be too high.
 */
export async function vacuumUntilVisible(sql: Sql, tables: readonly string[]): Promise<void> {
  const names = tables.map((table) => `"${table}"`).join(', ')
  const deadline = performance.now() + MAX_WAIT_MS
  while (performance.now() < deadline) {
    await sql(WRITE_LOG)
    await sql(`vacuum ${names}`)
    const hidden = await sql(
      'select from pg_class where "oid" = any($1::text[]::regclass[]) and "relpages" - "relallvisible" > $2',
      [tables.map((table) => `"${table}"`), MAX_UNMARKED_PAGES],
    )
    if (hidden.length === 0) {
      // Analyzes last, because the commit of an analysis would hide the rows of the next table again.
      await sql(`analyze ${names}`)
      return
    }
    await setTimeout(PAUSE_MS)
  }
  throw new Error(`After ${MAX_WAIT_MS} ms, another transaction still hides rows of ${tables.join(' and ')}.`)
}
