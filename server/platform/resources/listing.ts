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
import { type Columns, compareWithTenant, MAX_SHORT_BYTES, toJsonColumnsSql } from './columns.ts'
import type { SortColumn } from './declaration.ts'
import { createStatementCache, type StatementCache } from './statement-texts.ts'

/** Returns the SQL of a filter by one of the IDs in the ID lists of a record, which uses the table of links. */
export function toLinkedIdFilterSql(...ids: string[]): string {
  return `t."id" in (select l."recordId" from "links" as l where l."organizationId" = $1 and l."linkedId" in (${ids.join(', ')}))`
}

/**
 * The definition of a resource's list. All names in this definition come from the service's own code. Values from
 * callers always become parameters.
 */
export interface ListDefinition {
  readonly table: string
  readonly columns: Columns
  /** An SQL condition that applies to every listed row; the row is `t`. */
  readonly where?: string
  /**
   * Query parameters that do more than compare the column of the same name. The function returns an SQL condition on
   * the parameter.
   */
  readonly filters?: Record<string, (parameter: string) => string> | undefined
  /** Columns that can be long. The table's column `bytes` then contains the approximate total size of these columns. */
  readonly long?: readonly string[] | undefined
  /**
   * SQL of a JSON value; the row is `t`. The caller of a list computes additional members of each item from this value.
   */
  readonly beside?: string | undefined
  /** Fields for which another column determines the sort order. */
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

/** Parameters that are not conditions on a column. */
const PAGING_PARAMETERS = new Set(['limit', 'cursor', 'sort', 'includeArchived', 'q'])

/**
 * Returns a function that lists pages of a resource. A statement is built once for each query shape (the filters, the
 * sort order, and whether there is a cursor).
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
      // The service itself never creates a cursor with a value that its column cannot hold.
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

/** Returns the SQL that matches the search text; null if the text cannot match any record. */
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

/** Computes additional members of an item from its `beside` value. */
export type ItemExtension<More extends object = object> = (beside: unknown) => More

interface ListedRow {
  readonly id: string
  /** The item as JSON. */
  readonly item: string
  /** The value by which the list is sorted, exactly as the database writes it. The cursor contains this value. */
  readonly at?: string
  /** The size of a long row; null for a short row. */
  readonly bytes?: number | null
  /** The value for `further`. */
  readonly other?: unknown
}

function toCompiledQuery(text: string, values: readonly unknown[]): CompiledQuery<ListedRow> {
  return CompiledQuery.raw(text, [...values]) as CompiledQuery<ListedRow>
}

/** Returns a select of `ListedRow`s from a source of rows `t`. The select has no conditions yet. */
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

/** Returns the items, with the content of long items filled in, which the page query left almost empty. */
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
    return compareWithTenant(`${items} where t."organizationId" = $1 and t."id" = any($2)`)
  })
  const ids = rows.filter(isLongRow).map(({ id }) => id)
  const { rows: read } = await db.executeQuery(toCompiledQuery(statement, [organizationId, ids]))
  const long = new Map(read.map((row) => [row.id, toItemText(row, further)]))
  // An item that was deleted between the two queries is omitted.
  return rows.flatMap((row, i) => (isLongRow(row) ? long.get(row.id) : items[i]) ?? [])
}

interface SortOrder {
  field: string
  descending: boolean
  /** IDs are in the order of creation, so the primary key serves as the index of the default sort order. */
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
  // The same filters in any order have the same query shape.
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
    return compareWithTenant(
      `${items} where ${where} order by ${sorting} limit ${take}${isSteady ? '' : PLAN_EACH_TIME}`,
    )
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

/** Determines how the rows of a list are found. */
interface RowSource {
  rows: string
  conditions: string[]
  /** The columns by which the rows are sorted, before their IDs. */
  by: string[]
  /** Whether one plan is good for all values. If so, the statement can be prepared. */
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
  // If there is another condition, the values determine which condition should be evaluated first.
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

/** The filters that select adjacent rows in the index of a sort order. */
const SINCE_FILTERS: Readonly<Record<string, string>> = { updatedAt: 'updatedAfter' }

/**
 * Returns the SQL of the rows with these IDs, each looked up separately. A subquery with an offset leaves the planner
 * no other choice, regardless of the number of rows that it expects.
 */
function idLookup({ table }: ListDefinition, ids: string): string {
  return `(${ids}) as found cross join lateral (
    select * from "${table}" as own where own."organizationId" = $1 and own."id" = found."id" offset 0) as t`
}

/**
 * Returns the SQL of the rows starting at the first match. Each row is checked in the order of the IDs. The planner
 * underestimates the number of records that have several frequent words, and would read and sort all of them.
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
 * Returns whether the filter selects one value of a column whose index has the rows in the order of their IDs.
 */
function canRangeScan({ table, columns, filters }: ListDefinition, [name, value]: readonly [string, unknown]): boolean {
  const isPlain = typeof columns[name] === 'string' && filters?.[name] === undefined
  const column = isTypedKeyColumn(table, name) ? `${name}Key` : name
  return isPlain && indexed[table]?.includes(column) === true && value !== 'null' && !hasSeveralValues(name, value)
}

/**
 * Returns the SQL of the rows with one value of a column, as a range of the list in the order of that column. With an
 * equality condition, the planner would consider any index in the order of the IDs equally good, and would also read
 * all other rows.
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

/** Text with a comma may be one identifier or several. */
function splitIdentifiers(name: string, value: string): string[] {
  if (!value.includes(',')) return [value]
  const several = value.split(',')
  if (several.length > MAX_IDENTIFIERS) {
    const message = `must have at most ${MAX_IDENTIFIERS} identifiers separated by commas`
    throw validationFailed([{ pointer: name, code: 'maxItems', message }])
  }
  return [value, ...several]
}

/** The maximum that the contract defines. A hundred of the longest identifiers still fit into a request line. */
const MAX_IDENTIFIERS = 100

function toPosition(row: ListedRow, { byId }: SortOrder): PagePosition {
  return { value: byId ? null : String(row.at), id: row.id }
}

// Class 22 means a value that the type of the column cannot hold.
function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('22')
}
