import { toFieldLabel } from '../../platform/values/field-words.ts'

/** The result of a report, or one of its rows. */
export type Values = Readonly<Record<string, unknown>>

/** The part of a JSON Schema that determines how a report is displayed. */
export interface ReportSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, ReportSchema>>
  readonly items?: ReportSchema
}

/**
 * Divides a report into the parts that its page and its files show. The page and the emailed files have the same
 * columns.
 */

/** The format of the values in a report's column. */
export type FigureKind = 'money' | 'percent' | 'count' | 'text'

/** One list of a report, such as the weeks of a forecast. */
export interface ReportList {
  name: string
  title: string
  hint: string | undefined
  rows: readonly Values[]
  columns: readonly ReportColumn[]
}

export interface ReportColumn {
  name: string
  kind: FigureKind
}

/** The result of a report, divided into parts that a page can show. */
export interface ReportParts {
  /** Values that are not in lists, such as totals. */
  figures: Values
  lists: readonly ReportList[]
  /** Sentences about missing data that the figures do not include. */
  unknown: readonly string[]
  isTruncated: boolean
  asOf: string | null
}

/** Matches the names of fields whose numbers can have fractions but are not amounts of money. */
const NOT_MONEY = /days|weeks|months|hours|count|quantity|ratio|score|share|rate|perWeek|area|rank|factor|years|homes/i

/** Fields that every report has. The page shows them separately. */
const FRAME: ReadonlySet<string> = new Set(['truncated', 'unknown', 'asOf', 'currency', 'summary'])

/**
 * Divides the result of a report into single values and lists. The schema of the result determines the format of each
 * value.
 */
export function readReport(result: Values, schema: ReportSchema): ReportParts {
  const entries = Object.entries(result).filter(([name]) => !FRAME.has(name))
  const lists = entries.flatMap(([name, value]) => {
    const items = schema.properties?.[name]?.items?.properties
    if (items === undefined || !Array.isArray(value)) return []
    const rows = value as Values[]
    const list = toList(name, rows, schema.properties?.[name] ?? {}, toFieldLabel(name))
    return [list, ...listInnerLists(list, items)]
  })
  const listed = new Set(lists.map(({ name }) => name))
  const unknown = Array.isArray(result.unknown) ? result.unknown.map(String) : []
  return {
    figures: Object.fromEntries(entries.filter(([name]) => !listed.has(name))),
    lists,
    unknown,
    isTruncated: result.truncated === true,
    asOf: typeof result.asOf === 'string' ? result.asOf : null,
  }
}

/** Returns the format of the values of a field. */
export function chooseFigureKind(name: string, schema: ReportSchema | undefined): FigureKind {
  const types = typeof schema?.type === 'string' ? [schema.type] : (schema?.type ?? [])
  if (/percent$/i.test(name)) return 'percent'
  if (types.includes('integer')) return 'count'
  if (!types.includes('number')) return 'text'
  return NOT_MONEY.test(name) ? 'count' : 'money'
}

/**
 * Returns the lists within the rows of a list, such as the homes of each vendor. Each row of such a list also contains
 * the names from the outer row.
 */
function listInnerLists(outer: ReportList, properties: Readonly<Record<string, ReportSchema>>): ReportList[] {
  const [key] = outer.columns
  if (key === undefined) return []
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.items?.properties === undefined) return []
    const rows = outer.rows.flatMap((row) => {
      const inner = Array.isArray(row[name]) ? (row[name] as Values[]) : []
      return inner.map((one) => ({ ...one, [key.name]: row[key.name], [`${key.name}Id`]: row[`${key.name}Id`] }))
    })
    const list = toList(name, rows, schema, `${outer.title}: ${toFieldLabel(name).toLowerCase()}`)
    const columns = [key, ...list.columns.filter((column) => column.name !== key.name)]
    return [{ ...list, name: `${outer.name}.${name}`, columns }]
  })
}

function toList(name: string, rows: readonly Values[], schema: ReportSchema, title: string): ReportList {
  const properties = schema.items?.properties ?? {}
  const names = Object.keys(properties).filter((field) => isShown(field, properties))
  // Columns that identify a row come first.
  const first = names.filter((field) => chooseFigureKind(field, properties[field]) === 'text')
  const rest = names.filter((field) => !first.includes(field))
  const columns = [...first, ...rest].map((field) => ({
    name: field,
    kind: chooseFigureKind(field, properties[field]),
  }))
  return { name, title, hint: schema.description, rows, columns }
}

/**
 * Returns whether a column is shown. The ID of a record is hidden if its name is shown as a link. Inner lists are shown
 * as separate tables.
 */
function isShown(field: string, properties: Readonly<Record<string, ReportSchema>>): boolean {
  if (/Id$/.test(field) && properties[field.slice(0, -2)] !== undefined) return false
  const { type, items } = properties[field] ?? {}
  return type !== 'object' && items?.properties === undefined
}
