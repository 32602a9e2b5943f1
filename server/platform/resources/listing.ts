import { CompiledQuery } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { Json } from '../calls/json.ts'
import { countItemsThatFit, invalidCursor, type PagePosition, readCursor, writeCursor } from '../calls/page.ts'
import { indexed } from '../database/columns.gen.ts'
import { COMMON_LIMITS } from '../database/page-limits.ts'
import { PLAN_EACH_TIME } from '../database/prepared-statements.ts'
import { EXTERNAL_IDENTIFIERS, validationFailed } from '../problems/problem.ts'
import { buildMatch, type MatchSql } from '../search/matching.ts'
import { type Columns, MAX_SHORT_BYTES, selectJsonValues } from './columns.ts'
import type { SortColumn } from './declaration.ts'
import { createStatementCache, type StatementCache } from './statement-texts.ts'

/** Returns SQL of a filter by one of the IDs in a record's lists of IDs, through the table of links. */
export function filterByLinkedId(...ids: string[]): string {
  return `t."id" in (select l."recordId" from "links" as l where l."organizationId" = $1 and l."linkedId" in (${ids.join(', ')}))`
}

/** The definition of a resource's list. All names in it are ours; values from callers always become parameters. */
export interface ListDefinition {
  readonly table: string
  readonly columns: Columns
  /** An SQL condition on the row as `t` that applies to every listed row. */
  readonly where?: string
  /**
   * Query parameters that do not just compare the column of the same name: returns an SQL condition on the parameter.
   */
  readonly filters?: Record<string, (parameter: string) => string> | undefined
  /** Columns that can be long. The table's column `bytes` then holds their approximate total size. */
  readonly long?: readonly string[] | undefined
  /** SQL of a JSON value over the row as `t`, from which the caller of a list computes further members of each item. */
  readonly beside?: string | undefined
  /** Fields that are sorted by another column. */
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

/** Parameters that are not a condition on a column. */
const PAGING_PARAMETERS = new Set(['limit', 'cursor', 'sort', 'includeArchived', 'q'])

/**
 * Returns a function that lists pages of a resource. A statement is built once for each shape of query (which filters,
 * which sort, whether there is a cursor).
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
    const position = cursor === undefined ? null : readCursor(sort, cursor)
    const matched = query.q === undefined ? undefined : await findMatches(listed, tenant, query.q, query, position)
    if (matched === null) return toPageJson([], null)
    const { statement, values } = buildStatement(listed, texts, tenant, query, within, position, matched)
    const { rows } = await tenant.db.executeQuery(toCompiledQuery(statement, values)).catch((error: unknown) => {
      // The service never creates a cursor with a value that its column cannot hold.
      if (position !== null && isDataError(error)) throw invalidCursor()
      throw error
    })
    const items = rows.map((row) => toItemText(row, further))
    const sizes = items.map((item, i) => Buffer.byteLength(item) + (rows[i]?.bytes ?? 0))
    const count = countItemsThatFit(sizes, limit)
    const last = rows.length > count ? rows[count - 1] : undefined
    const nextCursor = last === undefined ? null : writeCursor(sort, toPosition(last, parseSort(sort)))
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

/** Returns how to match the search text; null if no record can match. */
function findMatches(
  { table }: ListDefinition,
  tenant: Tenant,
  q: string,
  { sort, includeArchived = false }: ListQuery,
  position: PagePosition | null,
): Promise<MatchSql | null> {
  const { byId, descending } = parseSort(sort)
  const start = byId ? { isDescending: descending, after: position?.id ?? null } : null
  return buildMatch(tenant, table, { q, archived: includeArchived, start })
}

/** Computes further members of an item from the value beside it. */
export type ItemExtension<More extends object = object> = (beside: unknown) => More

interface ListedRow {
  readonly id: string
  /** The item as JSON. */
  readonly item: string
  /** The value that the list is sorted by, exactly as the database writes it, for the cursor. */
  readonly at?: string
  /** The size of a long row; null for a short one. */
  readonly bytes?: number | null
  /** The value for `further`. */
  readonly other?: unknown
}

function toCompiledQuery(text: string, values: readonly unknown[]): CompiledQuery<ListedRow> {
  return CompiledQuery.raw(text, [...values]) as CompiledQuery<ListedRow>
}

/** Returns a select of `ListedRow`s from a source of rows `t`, without its conditions. */
function selectItems({ columns, long, beside }: ListDefinition, rows: string, at: string | null): string {
  const selected = ['t."id"', 'row_to_json(item)::text as "item"']
  if (at !== null) selected.push(`t."${at}"::text as "at"`)
  if (long !== undefined) selected.push(`case when t."bytes" > ${MAX_SHORT_BYTES} then t."bytes" end as "bytes"`)
  if (beside !== undefined) selected.push(`(${beside}) as "other"`)
  return `select ${selected.join(', ')} from ${rows} cross join lateral (select ${selectJsonValues(columns, long)}) as item`
}

function toItemText({ item, other }: ListedRow, further: ItemExtension | null): string {
  if (further === null) return item
  return `${item.slice(0, -1)},${JSON.stringify(further(other)).slice(1)}`
}

function isLongRow(row: ListedRow): boolean {
  return row.bytes != null
}

/** Returns the items with the long ones filled in, which the page query left almost empty. */
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
  // An item deleted between the two queries is left out.
  return rows.flatMap((row, i) => (isLongRow(row) ? long.get(row.id) : items[i]) ?? [])
}

interface SortOrder {
  field: string
  descending: boolean
  /** IDs are in order of creation, so the primary key serves as the index of the default sort. */
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
  // The same filters are one shape, in whatever order they were sent.
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

/** How the rows of a list are found. */
interface RowSource {
  rows: string
  conditions: string[]
  /** The columns that the rows are sorted by, before their IDs. */
  by: string[]
  /** Whether one plan is good for all values, so that the statement can be prepared. */
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
    return { rows, conditions: rangeScan(filter, position, order, parameter), by: [filter[0]], isSteady: true }
  for (const [name, value] of filters) conditions.push(toCondition(listed, name, value, parameter))
  // Together with another condition, the values decide which of the two should be evaluated first.
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

/** The filters whose rows are adjacent in the index of a sort order. */
const SINCE_FILTERS: Readonly<Record<string, string>> = { updatedAt: 'updatedAfter' }

/**
 * Returns the rows with these IDs, each looked up separately. In a subquery with an offset the planner has no other
 * choice, whatever number of rows it expects.
 */
function idLookup({ table }: ListDefinition, ids: string): string {
  return `(${ids}) as found cross join lateral (
    select * from "${table}" as own where own."organizationId" = $1 and own."id" = found."id" offset 0) as t`
}

/**
 * Returns the rows from the first match on, each of them checked in the order of their IDs. The planner underestimates
 * how many records have several frequent words, and would read all of them to sort them.
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
 * Returns whether the filter is for one value of a column that has an index with the rows in the order of their IDs.
 */
function canRangeScan({ table, columns, filters }: ListDefinition, [name, value]: readonly [string, unknown]): boolean {
  const isPlain = typeof columns[name] === 'string' && filters?.[name] === undefined
  return isPlain && indexed[table]?.includes(name) === true && value !== 'null' && !hasSeveralValues(name, value)
}

/**
 * Returns the rows with one value of a column, as a range of the list in the order of that column. With an equality,
 * the planner would consider any index in the order of the IDs equally good, and read all the other rows.
 */
function rangeScan(
  [name, value]: readonly [string, unknown],
  position: PagePosition | null,
  { descending }: SortOrder,
  parameter: AddParameter,
): string[] {
  const only = parameter(value)
  if (position === null) return [`t."${name}" <= ${only}`, `(t."${name}", t."id") >= (${only}, '')`]
  const [within, beyond] = descending ? ['>=', '<'] : ['<=', '>']
  return [`t."${name}" ${within} ${only}`, `(t."${name}", t."id") ${beyond} (${only}, ${parameter(position.id)})`]
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
  if (EXTERNAL_IDENTIFIERS.has(name)) return `t."${name}" = any(${parameter(splitIdentifiers(name, String(value)))})`
  if (!Object.hasOwn(listed.columns, name)) throw new Error(`Expected a column for the list parameter ${name}.`)
  const column = listed.columns[name]
  return `${typeof column === 'object' ? `(${column.sql})` : `t."${name}"`} = ${parameter(value)}`
}

function hasSeveralValues(name: string, value: unknown): boolean {
  return name === 'ids' || (EXTERNAL_IDENTIFIERS.has(name) && String(value).includes(','))
}

/** Text with a comma may be several identifiers, or one. */
function splitIdentifiers(name: string, value: string): string[] {
  if (!value.includes(',')) return [value]
  const several = value.split(',')
  if (several.length > MAX_IDENTIFIERS) {
    const message = `must have at most ${MAX_IDENTIFIERS} identifiers separated by commas`
    throw validationFailed([{ pointer: name, code: 'maxItems', message }])
  }
  return [value, ...several]
}

/** The contract's maximum: a hundred of the longest still fit into a request line. */
const MAX_IDENTIFIERS = 100

function toPosition(row: ListedRow, { byId }: SortOrder): PagePosition {
  return { value: byId ? null : String(row.at), id: row.id }
}

// Class 22: a value that the column's type cannot hold.
function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('22')
}
