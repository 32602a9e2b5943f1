import type { Schema } from '../../platform/calls/contract.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import type { Skill } from '../skills/skill-catalog.ts'

/**
 * The level of detail that a model gets. By default, results are short, because every word that a model reads costs
 * money: numbers precede lists, empty fields are left out, and lists become tables. A table has a row for each record
 * and a column for each field that the contract marks with `x-brief`. To get more, a model uses `fields` or `detail:
 * "full"`.
 */
export interface ResultDetail {
  readonly detail?: 'summary' | 'full'
  /** The paths of the fields to return, such as `endDate` or `tasks.name`. */
  readonly fields?: readonly string[]
}

export function summarizeResult(
  { outputSchema, brief }: Skill,
  result: unknown,
  { detail = 'summary', fields = [] }: ResultDetail,
): unknown {
  if (fields.length > 0) {
    assertKnownFields(outputSchema, fields)
    return toTables(
      pickFields(
        result,
        fields.map((path) => path.split('.')),
      ),
      KEEP_ALL,
    )
  }
  return detail === 'full' ? result : summarize(result, '', brief)
}

/**
 * The maximum length of a table, in characters (about 1,500 tokens). For rows beyond this length, the result contains
 * only their number.
 */
const MAX_TABLE = 6000
const MAX_TEXT = 300
/** The minimum number of rows of a table. A shorter list is easier to read as objects with field names. */
const MIN_ROWS = 3
const MAX_VALUES = 10

/**
 * Fields that are left out, because models rarely need them. listAuditEntries returns who changed a record and when.
 */
const BOOKKEEPING = new Set(['organizationId', 'createdBy', 'createdAt', 'updatedAt'])
const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/

type Brief = ReadonlyMap<string, readonly string[]>
type Row = Record<string, unknown>

function summarize(value: unknown, at: string, brief: Brief): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (Array.isArray(value)) return summarizeList(value, at, brief)
  if (!isRow(value)) return value
  const entries = Object.entries(value)
    .filter(([name, inner]) => !BOOKKEEPING.has(name) && !isEmpty(inner))
    .map(([name, inner]) => [name, summarize(inner, `${at}/${name}`, brief)] as const)
  return Object.fromEntries(entries.sort(([, a], [, b]) => sizeClass(a) - sizeClass(b)))
}

/** Returns a sort key that puts numbers first, because a model may not read beyond them. */
function sizeClass(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Array.isArray(value) || 'columns' in value ? 2 : 1
}

function summarizeList(list: readonly unknown[], at: string, brief: Brief): unknown {
  if (list.every((item) => typeof item === 'string' && ID.test(item))) return `${list.length} IDs`
  if (!list.every(isRow))
    return list.length <= MAX_VALUES ? list : { first: list.slice(0, MAX_VALUES), total: list.length }
  const marked = brief.get(`${at}/*`)
  return toTable(
    list.map((row) => shortenRow(row, marked, `${at}/*`, brief)),
    MAX_TABLE,
  )
}

function shortenRow(row: Row, marked: readonly string[] | undefined, at: string, brief: Brief): Row {
  const shown = Object.entries(row).filter(
    ([name, value]) =>
      !isEmpty(value) &&
      (marked?.includes(name) ?? !(BOOKKEEPING.has(name) || name === 'version' || isNamed(row, name))),
  )
  return Object.fromEntries(
    shown.map(([name, value]) => {
      // A list in a row could be longer than the rest of the row, so a long list is replaced with its length.
      const isLong = Array.isArray(value) && (value.length > MIN_ROWS || value.some(isRow))
      return [name, isLong ? value.length : summarize(value, `${at}/${name}`, brief)]
    }),
  )
}

/**
 * Returns whether the record contains a name besides the ID. The ID can then be left out, because skills also accept
 * names.
 */
function isNamed(row: Row, name: string): boolean {
  if (!name.endsWith('Id') || name === 'id') return false
  const noun = name.slice(0, -2)
  return typeof (row[noun] ?? row[`${noun}Name`]) === 'string'
}

/** Converts a list of records to a table, which contains the name of each field only once. */
function toTable(rows: readonly Row[], maxCharacters: number): unknown {
  if (rows.length < MIN_ROWS) return rows
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = rows.map((row) => columns.map((column) => row[column] ?? null))
  let characters = 0
  const fitting = cells.findIndex((row) => {
    characters += JSON.stringify(row).length
    return characters > maxCharacters
  })
  if (fitting <= 0) return { columns, rows: cells }
  return { columns, rows: cells.slice(0, fitting), more: cells.length - fitting }
}

const KEEP_ALL = Number.POSITIVE_INFINITY

function toTables(value: unknown, maxCharacters: number): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => toTables(item, maxCharacters))
    return items.every(isRow) ? toTable(items, maxCharacters) : items
  }
  if (!isRow(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toTables(inner, maxCharacters)]))
}

function pickFields(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((item) => pickFields(item, paths))
  if (!isRow(value)) return value
  const names = [...new Set(paths.flatMap(([first]) => first ?? []))]
  return Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(value, name))
      .map((name) => {
        const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest)
        return [name, below.some((rest) => rest.length === 0) ? value[name] : pickFields(value[name], below)]
      }),
  )
}

function assertKnownFields(schema: Schema, fields: readonly string[]): void {
  const faults = fields.flatMap((field, i) => {
    let properties = listProperties(schema)
    for (const name of field.split('.')) {
      const inner = properties.get(name)
      if (inner === undefined) {
        const known = [...properties.keys()].join(', ')
        return [
          {
            pointer: `/fields/${i}`,
            code: 'unknown',
            message: `contains the unknown field "${name}"; available fields: ${known}`,
          },
        ]
      }
      properties = listProperties(inner)
    }
    return []
  })
  if (faults.length > 0) throw validationFailed(faults)
}

function listProperties(schema: Schema): Map<string, Schema> {
  const alternatives = [schema, ...['anyOf', 'oneOf'].flatMap((keyword) => (schema[keyword] ?? []) as Schema[])]
  const own = alternatives.flatMap(({ properties }) => Object.entries((properties ?? {}) as Record<string, Schema>))
  const items = alternatives.flatMap(({ items }) => (isRow(items) ? [...listProperties(items)] : []))
  return new Map([...own, ...items])
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
