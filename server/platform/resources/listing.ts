import { CompiledQuery } from 'kysely'
import type { Tenant } from '../calls/call.ts'
import { Json } from '../calls/json.ts'
import { invalidCursor, itemsThatFit, type Position, readCursor, writeCursor } from '../calls/page.ts'
import { indexed } from '../database/columns.gen.ts'
import { PLANNED_EACH_TIME } from '../database/prepared-statements.ts'
import { USUAL_LIMITS } from '../database/usual-limits.ts'
import { IDENTIFIERS, invalid } from '../problems/problem.ts'
import { type Matched, matching } from '../search/matching.ts'
import { asJsonValues, type Columns, MOST_SHORT_BYTES } from './columns.ts'
import type { SortedAs } from './declared.ts'
import { type StatementTexts, statementTexts } from './statement-texts.ts'

/** Returns SQL of a filter by one of the IDs in a record's lists of IDs, through the table of links. */
export function linkedTo(...ids: string[]): string {
  return `t."id" in (select l."recordId" from "links" as l where l."organizationId" = $1 and l."linkedId" in (${ids.join(', ')}))`
}

/** The definition of a resource's list. All names in it are ours; values from callers always become parameters. */
export interface Listed {
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
  readonly sorts?: Readonly<Record<string, SortedAs | undefined>> | undefined
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

type Parameter = (value: unknown) => string

/** Parameters that are not a condition on a column. */
const PAGING = new Set(['limit', 'cursor', 'sort', 'includeArchived', 'q'])

/**
 * Returns a function that lists pages of a resource. A statement is built once for each shape of query (which filters,
 * which sort, whether there is a cursor).
 */
export function listing<R>(listed: Listed) {
  const texts = statementTexts()
  return async <More extends object = object>(
    tenant: Tenant,
    query: ListQuery,
    within: Record<string, string> = {},
    further: Further<More> | null = null,
  ): Promise<Json<Page<R & More>>> => {
    const { limit, cursor, sort } = query
    const position = cursor === undefined ? null : readCursor(sort, cursor)
    const matched = query.q === undefined ? undefined : await matchedBy(listed, tenant, query.q, query, position)
    if (matched === null) return pageOf([], null)
    const { statement, values } = select(listed, texts, tenant, query, within, position, matched)
    const { rows } = await tenant.db.executeQuery(statementOf(statement, values)).catch((error: unknown) => {
      // The service never creates a cursor with a value that its column cannot hold.
      if (position !== null && isDataError(error)) throw invalidCursor()
      throw error
    })
    const items = rows.map((row) => textOf(row, further))
    const sizes = items.map((item, i) => Buffer.byteLength(item) + (rows[i]?.bytes ?? 0))
    const count = itemsThatFit(sizes, limit)
    const last = rows.length > count ? rows[count - 1] : undefined
    const nextCursor = last === undefined ? null : writeCursor(sort, positionOf(last, orderOf(sort)))
    const shown = rows.slice(0, count)
    const data = shown.some(isLong)
      ? await withLong(listed, texts, tenant, shown, items, further)
      : items.slice(0, count)
    for (const item of tenant.reads == null ? [] : data) tenant.reads?.note(JSON.parse(item) as object)
    return pageOf(data, nextCursor)
  }
}

function pageOf<R>(items: readonly string[], nextCursor: string | null): Json<Page<R>> {
  return new Json(`{"data":[${items.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`, nextCursor)
}

/** Returns how to match the search text; null if no record can match. */
function matchedBy(
  { table }: Listed,
  tenant: Tenant,
  q: string,
  { sort, includeArchived = false }: ListQuery,
  position: Position | null,
): Promise<Matched | null> {
  const { byId, descending } = orderOf(sort)
  const start = byId ? { isDescending: descending, after: position?.id ?? null } : null
  return matching(tenant, table, { q, archived: includeArchived, start })
}

/** Computes further members of an item from the value beside it. */
export type Further<More extends object = object> = (beside: unknown) => More

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

function statementOf(text: string, values: readonly unknown[]): CompiledQuery<ListedRow> {
  return CompiledQuery.raw(text, [...values]) as CompiledQuery<ListedRow>
}

/** Returns a select of `ListedRow`s from a source of rows `t`, without its conditions. */
function selectItems({ columns, long, beside }: Listed, rows: string, at: string | null): string {
  const selected = ['t."id"', 'row_to_json(item)::text as "item"']
  if (at !== null) selected.push(`t."${at}"::text as "at"`)
  if (long !== undefined) selected.push(`case when t."bytes" > ${MOST_SHORT_BYTES} then t."bytes" end as "bytes"`)
  if (beside !== undefined) selected.push(`(${beside}) as "other"`)
  return `select ${selected.join(', ')} from ${rows} cross join lateral (select ${asJsonValues(columns, long)}) as item`
}

function textOf({ item, other }: ListedRow, further: Further | null): string {
  if (further === null) return item
  return `${item.slice(0, -1)},${JSON.stringify(further(other)).slice(1)}`
}

function isLong(row: ListedRow): boolean {
  return row.bytes != null
}

/** Returns the items with the long ones filled in, which the page query left almost empty. */
async function withLong(
  { table, columns, beside }: Listed,
  texts: StatementTexts,
  { db, organizationId }: Tenant,
  rows: readonly ListedRow[],
  items: readonly string[],
  further: Further | null,
): Promise<string[]> {
  const statement = texts('long', () => {
    const items = selectItems({ table, columns, beside }, `"${table}" as t`, null)
    return `${items} where t."organizationId" = $1 and t."id" = any($2)`
  })
  const ids = rows.filter(isLong).map(({ id }) => id)
  const { rows: read } = await db.executeQuery(statementOf(statement, [organizationId, ids]))
  const long = new Map(read.map((row) => [row.id, textOf(row, further)]))
  // An item deleted between the two queries is left out.
  return rows.flatMap((row, i) => (isLong(row) ? long.get(row.id) : items[i]) ?? [])
}

interface Order {
  field: string
  descending: boolean
  /** IDs are in order of creation, so the primary key serves as the index of the default sort. */
  byId: boolean
}

function orderOf(sort: string): Order {
  const descending = sort.startsWith('-')
  const field = descending ? sort.slice(1) : sort
  return { field, descending, byId: field === 'createdAt' }
}

function select(
  listed: Listed,
  texts: StatementTexts,
  { organizationId }: Tenant,
  query: ListQuery,
  within: Record<string, string>,
  position: Position | null,
  matched: Matched | undefined,
): { statement: string; values: unknown[] } {
  const { limit, sort, includeArchived = false } = query
  const order = orderOf(sort)
  // The same filters are one shape, in whatever order they were sent.
  const filters = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !PAGING.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const shape = JSON.stringify([
    sort,
    position !== null,
    includeArchived,
    USUAL_LIMITS.has(limit) && limit,
    filters.map(([name, value]) => [name, value === 'null', isSeveral(name, value)]),
    Object.keys(within),
    matched?.form,
  ])
  const values: unknown[] = [organizationId]
  const parameter: Parameter = (value) => `$${values.push(value)}`
  const { rows, conditions, by, isSteady } = way(listed, { filters, within, matched, position, order }, parameter)
  if ('archivedAt' in listed.columns && !includeArchived) conditions.push(`t."archivedAt" is null`)
  const take = USUAL_LIMITS.has(limit) ? limit + 1 : parameter(limit + 1)
  const statement = texts(shape, () => {
    const sorting = [...by, 'id'].map((column) => `t."${column}" ${order.descending ? 'desc' : 'asc'}`).join(', ')
    const always = listed.where === undefined ? [] : [listed.where]
    const where = ['t."organizationId" = $1', ...always, ...conditions].join(' and ')
    const items = selectItems(listed, rows, order.byId ? null : order.field)
    return `${items} where ${where} order by ${sorting} limit ${take}${isSteady ? '' : PLANNED_EACH_TIME}`
  })
  return { statement, values }
}

interface Narrowing {
  filters: readonly (readonly [name: string, value: unknown])[]
  within: Record<string, string>
  matched: Matched | undefined
  position: Position | null
  order: Order
}

/** How the rows of a list are found. */
interface Way {
  rows: string
  conditions: string[]
  /** The columns that the rows are sorted by, before their IDs. */
  by: string[]
  /** Whether one plan is good for all values, so that the statement can be prepared. */
  isSteady: boolean
}

function way(listed: Listed, narrowing: Narrowing, parameter: Parameter): Way {
  const { filters, within, matched, position, order } = narrowing
  const { field, byId } = order
  const sorted = listed.sorts?.[field]
  const rows = `"${listed.table}" as t`
  const by = byId ? [] : [sorted?.column ?? field]
  const conditions = Object.entries(within).map(([name, value]) => `t."${name}" = ${parameter(value)}`)
  const [filter, ...others] = filters
  const isFilterAlone = conditions.length === 0 && matched === undefined && others.length === 0
  if (filter !== undefined && isFilterAlone && byId && isStretch(listed, filter))
    return { rows, conditions: stretch(filter, position, order, parameter), by: [filter[0]], isSteady: true }
  for (const [name, value] of filters) conditions.push(condition(listed, name, value, parameter))
  // Together with another condition, the values decide which of the two should be evaluated first.
  const isMatchedAlone = conditions.length === 0 && matched !== undefined
  if (isMatchedAlone && matched.ids !== null)
    return { rows: lookedUp(listed, matched.ids(parameter)), conditions: beyond(), by, isSteady: true }
  if (isMatchedAlone && matched.entry !== null)
    return { rows: walked(listed, order, matched, parameter), conditions: beyond(), by, isSteady: true }
  if (matched !== undefined) conditions.push(matched.condition(parameter))
  conditions.push(...beyond())
  const isSince = isFilterAlone && filter?.[0] === SINCE[field]
  return { rows, conditions, by, isSteady: (filters.length === 0 && matched === undefined) || isSince }

  function beyond(): string[] {
    return position === null ? [] : [after(position, order, sorted, parameter)]
  }
}

/** The filters whose rows are adjacent in the index of a sort order. */
const SINCE: Readonly<Record<string, string>> = { updatedAt: 'updatedAfter' }

/**
 * Returns the rows with these IDs, each looked up separately. In a subquery with an offset the planner has no other
 * choice, whatever number of rows it expects.
 */
function lookedUp({ table }: Listed, ids: string): string {
  return `(${ids}) as found cross join lateral (
    select * from "${table}" as own where own."organizationId" = $1 and own."id" = found."id" offset 0) as t`
}

/**
 * Returns the rows from the first match on, each of them checked in the order of their IDs. The planner underestimates
 * how many records have several frequent words, and would read all of them to sort them.
 */
function walked({ table }: Listed, { descending }: Order, { entry, condition }: Matched, parameter: Parameter): string {
  const [beyond, direction] = descending ? ['<=', 'desc'] : ['>=', 'asc']
  return `(
    select * from "${table}" as own where own."organizationId" = $1 and own."id" ${beyond} ${parameter(entry)}
    order by own."id" ${direction} offset 0) as t
    cross join lateral (select where ${condition(parameter)} offset 0) as found`
}

/**
 * Returns whether the filter is for one value of a column that has an index with the rows in the order of their IDs.
 */
function isStretch({ table, columns, filters }: Listed, [name, value]: readonly [string, unknown]): boolean {
  const isPlain = typeof columns[name] === 'string' && filters?.[name] === undefined
  return isPlain && indexed[table]?.includes(name) === true && value !== 'null' && !isSeveral(name, value)
}

/**
 * Returns the rows with one value of a column, as a range of the list in the order of that column. With an equality,
 * the planner would consider any index in the order of the IDs equally good, and read all the other rows.
 */
function stretch(
  [name, value]: readonly [string, unknown],
  position: Position | null,
  { descending }: Order,
  parameter: Parameter,
): string[] {
  const only = parameter(value)
  if (position === null) return [`t."${name}" <= ${only}`, `(t."${name}", t."id") >= (${only}, '')`]
  const [within, beyond] = descending ? ['>=', '<'] : ['<=', '>']
  return [`t."${name}" ${within} ${only}`, `(t."${name}", t."id") ${beyond} (${only}, ${parameter(position.id)})`]
}

function after(
  { value, id }: Position,
  { field, descending, byId }: Order,
  sorted: SortedAs | undefined,
  parameter: Parameter,
): string {
  const beyond = descending ? '<' : '>'
  if (byId) return `t."id" ${beyond} ${parameter(id)}`
  if (sorted !== undefined)
    return `(t."${sorted.column}", t."id") ${beyond} (${sorted.from(parameter(value))}, ${parameter(id)})`
  return `(t."${field}", t."id") ${beyond} (${parameter(value)}, ${parameter(id)})`
}

function condition(listed: Listed, name: string, value: unknown, parameter: Parameter): string {
  const own = listed.filters?.[name]
  if (own !== undefined) return own(parameter(value))
  if (name === 'ids') return `t."id" = any(${parameter(value)})`
  if (name === 'updatedAfter') return `t."updatedAt" >= ${parameter(value)}`
  if (name === 'createdAfter') return `t."createdAt" >= ${parameter(value)}`
  if (name === 'accountingId' && value === 'null') return `t."accountingId" is null`
  if (IDENTIFIERS.has(name)) return `t."${name}" = any(${parameter(identifiersIn(name, String(value)))})`
  if (!Object.hasOwn(listed.columns, name)) throw new Error(`Expected a column for the list parameter ${name}.`)
  const column = listed.columns[name]
  return `${typeof column === 'object' ? `(${column.sql})` : `t."${name}"`} = ${parameter(value)}`
}

function isSeveral(name: string, value: unknown): boolean {
  return name === 'ids' || (IDENTIFIERS.has(name) && String(value).includes(','))
}

/** Text with a comma may be several identifiers, or one. */
function identifiersIn(name: string, value: string): string[] {
  if (!value.includes(',')) return [value]
  const several = value.split(',')
  if (several.length > MOST_IDENTIFIERS) {
    const message = `must have at most ${MOST_IDENTIFIERS} identifiers separated by commas`
    throw invalid([{ pointer: name, code: 'maxItems', message }])
  }
  return [value, ...several]
}

/** The contract's maximum: a hundred of the longest still fit into a request line. */
const MOST_IDENTIFIERS = 100

function positionOf(row: ListedRow, { byId }: Order): Position {
  return { value: byId ? null : String(row.at), id: row.id }
}

// Class 22: a value that the column's type cannot hold.
function isDataError(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('22')
}
