import { CompiledQuery } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { Json } from '../calls/json.ts'
import { countItemsThatFit, createCursorProblem, decodeCursor, encodeCursor, type PagePosition } from '../calls/page.ts'
import { indexed } from '../database/columns.gen.ts'
import { COMMON_LIMITS } from '../database/page-limits.ts'
import { PLAN_EACH_TIME } from '../database/prepared-statements.ts'
import { EXTERNAL_IDENTIFIERS, validationFailed } from '../problems/problem.ts'
import { buildMatchSql, type MatchSql } from '../search/matching.ts'
import { isTypedKeyColumn } from '../values/typed-keys.ts'
import { type Columns, MAX_SHORT_BYTES, toJsonColumnsSql } from './columns.ts'
import type { SortColumn } from './declaration.ts'
import { createStatementCache, type StatementCache } from './statement-texts.ts'

/**
 * Returns the SQL of a filter that searches the ID lists of a record for one of these IDs, using the table of links.
 */
export function toLinkedIdFilterSql(...ids: string[]): string {
  return `t."id" in (select l."recordId" from "links" as l where l."organizationId" = $1 and l."linkedId" in (${ids.join(', ')}))`
}

/**
 * The definition of the list of a resource. All names in it come from the code of the service. Values from callers are
 * always parameters.
 */
export interface ListDefinition {
  readonly table: string
  readonly columns: Columns
  /** An SQL condition for all rows `t` of the list. */
  readonly where?: string
  /**
   * The query parameters that do more than compare the column with the same name. The function returns an SQL condition
   * on the parameter.
   */
  readonly filters?: Record<string, (parameter: string) => string> | undefined
  /** The columns that can be long. The column `bytes` of the table contains their approximate total size. */
  readonly long?: readonly string[] | undefined
  /** The SQL of a JSON value of row `t`. The calling code computes additional members of each list item from it. */
  readonly beside?: string | undefined
  /** The fields that are sorted by another column. */
  readonly sorts?: Readonly<Record<string, SortColumn | undefined>> | undefined
}

export interface ListQuery {
  limit: number
  cursor?: string | undefined
  sort: string
  includeArchived?: boolean | undefined
  q?: string | undefined
}

export interface Page<R> {
  data: R[]
  nextCursor: string | null
}

type AddParameter = (value: unknown) => string

/** The query parameters that are not conditions on a column. */
const PAGING_PARAMETERS = new Set(['limit', 'cursor', 'sort', 'includeArchived', 'q'])

/**
 * Returns a function that lists pages of a resource. It builds one statement for each shape of a query, which consists
 * of the filters, the sort order, and whether there is a cursor.
 */
export function createListing<R>(listed: ListDefinition) {
  const texts = createStatementCache()
  return async <More extends object = object>(
    tenant: Tenant,
    query: ListQuery,
    within: Record<string, string> = {},
    further: ItemExtension<More> | null = null,
  ): Promise<Json<Page<R & More>>> => {
    const { limit, cursor, sort } = query
    const position = cursor === undefined ? null : decodeCursor(sort, cursor)
    const matched = query.q === undefined ? undefined : await findMatches(listed, tenant, query.q, query, position)
    if (matched === null) return toPageJson([], null)
    const { statement, values } = buildStatement(listed, texts, tenant, query, within, position, matched)
    const { rows } = await tenant.db.executeQuery(toCompiledQuery(statement, values)).catch((error: unknown) => {
      // The service never creates a cursor with a value that is not valid for its column, so the caller has changed it.
      if (position !== null && isDataError(error)) throw createCursorProblem()
      throw error
    })
    const items = rows.map((row) => toItemText(row, further))
    const sizes = items.map((item, i) => Buffer.byteLength(item) + (rows[i]?.bytes ?? 0))
    const count = countItemsThatFit(sizes, limit)
    const last = rows.length > count ? rows[count - 1] : undefined
    const nextCursor = last === undefined ? null : encodeCursor(sort, toPosition(last, parseSort(sort)))
    const shown = rows.slice(0, count)
    const data = shown.some(isLongRow)
      ? await withLongItems(listed, texts, tenant, shown, items, further)
      : items.slice(0, count)
    for (const item of tenant.reads == null ? [] : data) tenant.reads?.note(JSON.parse(item) as object)
    return toPageJson(data, nextCursor)
  }
}

function toPageJson<R>(items: readonly string[], nextCursor: string | null): Json<Page<R>> {
  return new Json(`{"data":[${items.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`, nextCursor)
}

/** Returns the SQL that matches the search text; null if no record can match. */
function findMatches(
  { table }: ListDefinition,
  tenant: Tenant,
  q: string,
  { sort, includeArchived = false }: ListQuery,
  position: PagePosition | null,
): Promise<MatchSql | null> {
  const { byId, descending } = parseSort(sort)
  const start = byId ? { isDescending: descending, after: position?.id ?? null } : null
  return buildMatchSql(tenant, table, { q, archived: includeArchived, start })
}

/** Computes additional members of an item from the value of `beside`. */
export type ItemExtension<More extends object = object> = (beside: unknown) => More

interface ListedRow {
  readonly id: string
  /** The item as JSON. */
  readonly item: string
  /** The value by which the list is sorted, as text of the database. This text becomes part of the cursor. */
  readonly at?: string
  /** The size of a long row in bytes; null for a short row. */
  readonly bytes?: number | null
  /** The value of `beside`, for `further`. */
  readonly other?: unknown
}

function toCompiledQuery(text: string, values: readonly unknown[]): CompiledQuery<ListedRow> {
  return CompiledQuery.raw(text, [...values]) as CompiledQuery<ListedRow>
}

/** Returns a SELECT statement without conditions that returns a `ListedRow` for each row `t` of the source. */
function selectItems({ columns, long, beside }: ListDefinition, rows: string, at: string | null): string {
  const selected = ['t."id"', 'row_to_json(item)::text as "item"']
  if (at !== null) selected.push(`t."${at}"::text as "at"`)
  if (long !== undefined) selected.push(`case when t."bytes" > ${MAX_SHORT_BYTES} then t."bytes" end as "bytes"`)
  if (beside !== undefined) selected.push(`(${beside}) as "other"`)
  return `select ${selected.join(', ')} from ${rows} cross join lateral (select ${toJsonColumnsSql(columns, long)}) as item`
}

function toItemText({ item, other }: ListedRow, further: ItemExtension | null): string {
  if (further === null) return item
  return `${item.slice(0, -1)},${JSON.stringify(further(other)).slice(1)}`
}

function isLongRow(row: ListedRow): boolean {
  return row.bytes != null
}

/** Returns the items, after reading the content of long items, which the query of the page omits. */
async function withLongItems(
  { table, columns, beside }: ListDefinition,
  texts: StatementCache,
  { db, organizationId }: Tenant,
  rows: readonly ListedRow[],
  items: readonly string[],
  further: ItemExtension | null,
): Promise<string[]> {
  const statement = texts('long', () => {
    const items = selectItems({ table, columns, beside }, `"${table}" as t`, null)
    return `${items} where t."organizationId" = $1 and t."id" = any($2)`
  })
  const ids = rows.filter(isLongRow).map(({ id }) => id)
  const { rows: read } = await db.executeQuery(toCompiledQuery(statement, [organizationId, ids]))
  const long = new Map(read.map((row) => [row.id, toItemText(row, further)]))
  // If a record was deleted between the two queries, it is omitted.
  return rows.flatMap((row, i) => (isLongRow(row) ? long.get(row.id) : items[i]) ?? [])
}

interface SortOrder {
  field: string
  descending: boolean
  /**
   * Whether the list is sorted by ID. IDs are in the order of creation, so the primary key is the index of this default
   * sort order.
   */
  byId: boolean
}

function parseSort(sort: string): SortOrder {
  const descending = sort.startsWith('-')
  const field = descending ? sort.slice(1) : sort
  return { field, descending, byId: field === 'createdAt' }
}

function buildStatement(
  listed: ListDefinition,
  texts: StatementCache,
  { organizationId }: Tenant,
  query: ListQuery,
  within: Record<string, string>,
  position: PagePosition | null,
  matched: MatchSql | undefined,
): { statement: string; values: unknown[] } {
  const { limit, sort, includeArchived = false } = query
  const order = parseSort(sort)
  // The same filters in a different order have the same shape.
  const filters = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !PAGING_PARAMETERS.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const shape = JSON.stringify([
    sort,
    position !== null,
    includeArchived,
    COMMON_LIMITS.has(limit) && limit,
    filters.map(([name, value]) => [name, value === 'null', hasSeveralValues(name, value)]),
    Object.keys(within),
    matched?.form,
  ])
  const values: unknown[] = [organizationId]
  const parameter: AddParameter = (value) => `$${values.push(value)}`
  const { rows, conditions, by, isSteady } = chooseScan(
    listed,
    { filters, within, matched, position, order },
    parameter,
  )
  if ('archivedAt' in listed.columns && !includeArchived) conditions.push(`t."archivedAt" is null`)
  const take = COMMON_LIMITS.has(limit) ? limit + 1 : parameter(limit + 1)
  const statement = texts(shape, () => {
    const sorting = [...by, 'id'].map((column) => `t."${column}" ${order.descending ? 'desc' : 'asc'}`).join(', ')
    const always = listed.where === undefined ? [] : [listed.where]
    const where = ['t."organizationId" = $1', ...always, ...conditions].join(' and ')
    const items = selectItems(listed, rows, order.byId ? null : order.field)
    return `${items} where ${where} order by ${sorting} limit ${take}${isSteady ? '' : PLAN_EACH_TIME}`
  })
  return { statement, values }
}

interface ScanConditions {
  filters: readonly (readonly [name: string, value: unknown])[]
  within: Record<string, string>
  matched: MatchSql | undefined
  position: PagePosition | null
  order: SortOrder
}

/** Defines how the rows of a list are found. */
interface RowSource {
  rows: string
  conditions: string[]
  /** The columns by which the rows are sorted before their IDs. */
  by: string[]
  /** Whether one plan is suitable for all values, so that the statement can be prepared. */
  isSteady: boolean
}

function chooseScan(listed: ListDefinition, narrowing: ScanConditions, parameter: AddParameter): RowSource {
  const { filters, within, matched, position, order } = narrowing
  const { field, byId } = order
  const sorted = listed.sorts?.[field]
  const rows = `"${listed.table}" as t`
  const by = byId ? [] : [sorted?.column ?? field]
  const conditions = Object.entries(within).map(([name, value]) => `t."${name}" = ${parameter(value)}`)
  const [filter, ...others] = filters
  const isFilterAlone = conditions.length === 0 && matched === undefined && others.length === 0
  if (filter !== undefined && isFilterAlone && byId && canRangeScan(listed, filter))
    return { rows, conditions: rangeScan(listed, filter, position, order, parameter), by: [filter[0]], isSteady: true }
  for (const [name, value] of filters) conditions.push(toCondition(listed, name, value, parameter))
  // If there is another condition, the best order of evaluating the conditions depends on their values.
  const isMatchedAlone = conditions.length === 0 && matched !== undefined
  if (isMatchedAlone && matched.ids !== null)
    return { rows: idLookup(listed, matched.ids(parameter)), conditions: beyond(), by, isSteady: true }
  if (isMatchedAlone && matched.entry !== null)
    return { rows: primaryKeyScan(listed, order, matched, parameter), conditions: beyond(), by, isSteady: true }
  if (matched !== undefined) conditions.push(matched.condition(parameter))
  conditions.push(...beyond())
  const isSince = isFilterAlone && filter?.[0] === SINCE_FILTERS[field]
  return { rows, conditions, by, isSteady: (filters.length === 0 && matched === undefined) || isSince }

  function beyond(): string[] {
    return position === null ? [] : [afterPosition(position, order, sorted, parameter)]
  }
}

/** For each sort order, the filter that selects adjacent rows of its index. */
const SINCE_FILTERS: Readonly<Record<string, string>> = { updatedAt: 'updatedAfter' }

/**
 * Returns the SQL for the rows with these IDs, which looks up each row separately. Because of the subquery with an
 * offset, the planner must do this, regardless of the number of rows that it expects.
 */
function idLookup({ table }: ListDefinition, ids: string): string {
  return `(${ids}) as found cross join lateral (
    select * from "${table}" as own where own."organizationId" = $1 and own."id" = found."id" offset 0) as t`
}

/**
 * Returns SQL that checks the rows in the order of their IDs, starting at the first match. Otherwise, the planner would
 * underestimate how many records contain several frequent words, and would read and sort all of them.
 */
function primaryKeyScan(
  { table }: ListDefinition,
  { descending }: SortOrder,
  { entry, condition }: MatchSql,
  parameter: AddParameter,
): string {
  const [beyond, direction] = descending ? ['<=', 'desc'] : ['>=', 'asc']
  return `(
    select * from "${table}" as own where own."organizationId" = $1 and own."id" ${beyond} ${parameter(entry)}
    order by own."id" ${direction} offset 0) as t
    cross join lateral (select where ${condition(parameter)} offset 0) as found`
}

/**
 * Returns whether the filter selects one value of a column, and the index of this column contains the rows in the order
 * of their IDs.
 */
function canRangeScan({ table, columns, filters }: ListDefinition, [name, value]: readonly [string, unknown]): boolean {
  const isPlain = typeof columns[name] === 'string' && filters?.[name] === undefined
  const column = isTypedKeyColumn(table, name) ? `${name}Key` : name
  return isPlain && indexed[table]?.includes(column) === true && value !== 'null' && !hasSeveralValues(name, value)
}

/**
 * Returns the SQL for the rows with one value of a column, which reads a range of the index on that column. With an
 * equality condition, the planner would consider all indexes in the order of the IDs equally good, and might read all
 * other rows as well.
 */
function rangeScan(
  { table }: ListDefinition,
  [name, value]: readonly [string, unknown],
  position: PagePosition | null,
  { descending }: SortOrder,
  parameter: AddParameter,
): string[] {
  const isTyped = isTypedKeyColumn(table, name)
  const column = isTyped ? `${name}Key` : name
  const only = isTyped ? `"typedKey"(${parameter(value)})` : parameter(value)
  if (position === null) return [`t."${column}" <= ${only}`, `(t."${column}", t."id") >= (${only}, '')`]
  const [within, beyond] = descending ? ['>=', '<'] : ['<=', '>']
  return [`t."${column}" ${within} ${only}`, `(t."${column}", t."id") ${beyond} (${only}, ${parameter(position.id)})`]
}

function afterPosition(
  { value, id }: PagePosition,
  { field, descending, byId }: SortOrder,
  sorted: SortColumn | undefined,
  parameter: AddParameter,
): string {
  const beyond = descending ? '<' : '>'
  if (byId) return `t."id" ${beyond} ${parameter(id)}`
  if (sorted !== undefined)
    return `(t."${sorted.column}", t."id") ${beyond} (${sorted.from(parameter(value))}, ${parameter(id)})`
  return `(t."${field}", t."id") ${beyond} (${parameter(value)}, ${parameter(id)})`
}

function toCondition(listed: ListDefinition, name: string, value: unknown, parameter: AddParameter): string {
  const own = listed.filters?.[name]
  if (own !== undefined) return own(parameter(value))
  if (name === 'ids') return `t."id" = any(${parameter(value)})`
  if (name === 'updatedAfter') return `t."updatedAt" >= ${parameter(value)}`
  if (name === 'createdAfter') return `t."createdAt" >= ${parameter(value)}`
  if (name === 'accountingId' && value === 'null') return `t."accountingId" is null`
  if (isTypedKeyColumn(listed.table, name)) {
    const keys = EXTERNAL_IDENTIFIERS.has(name) ? splitIdentifiers(name, String(value)) : [value]
    return `t."${name}Key" = any(array(select "typedKey"("key") from unnest(${parameter(keys)}::text[]) as k ("key")))`
  }
  if (EXTERNAL_IDENTIFIERS.has(name)) return `t."${name}" = any(${parameter(splitIdentifiers(name, String(value)))})`
  if (!Object.hasOwn(listed.columns, name)) throw new Error(`Expected a column for the list parameter ${name}.`)
  const column = listed.columns[name]
  return `${typeof column === 'object' ? `(${column.sql})` : `t."${name}"`} = ${parameter(value)}`
}

function hasSeveralValues(name: string, value: unknown): boolean {
  return name === 'ids' || (EXTERNAL_IDENTIFIERS.has(name) && String(value).includes(','))
}

/** Returns the identifiers in a text. A text with a comma can be a single identifier or several. */
function splitIdentifiers(name: string, value: string): string[] {
  if (!value.includes(',')) return [value]
  const several = value.split(',')
  if (several.length > MAX_IDENTIFIERS) {
    const message = `must have at most ${MAX_IDENTIFIERS} identifiers separated by commas`
    throw validationFailed([{ pointer: name, code: 'maxItems', message }])
  }
  return [value, ...several]
}

/** The maximum number in the contract. A hundred of the longest identifiers still fit in a request line. */
const MAX_IDENTIFIERS = 100

function toPosition(row: ListedRow, { byId }: SortOrder): PagePosition {
  return { value: byId ? null : String(row.at), id: row.id }
}

// Class 22 contains errors about values that are not valid for the type of the column.
function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('22')
}
