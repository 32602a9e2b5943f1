import type { ImportColumn } from '../../../../client/contract.gen.ts'
import { type ImportKindDefinition, toHeadingKey } from '../kinds/import-kind.ts'
import type { Cell, Table } from '../reading/table.ts'

export type Layout = 'quickbooks_desktop' | 'quickbooks_online' | 'xero' | 'projecthound'

/** For each column, the field that it contains and how the field was recognized. */
export type RecognizedColumn = Pick<ImportColumn, 'field' | 'recognizedBy'>

/**
 * Export layouts of other systems. `heads` are the headings that only this system uses together. `fields` are headings
 * that have a special meaning in this system.
 */
const LAYOUTS: readonly { layout: Layout; heads: readonly string[]; fields: Readonly<Record<string, string>> }[] = [
  {
    layout: 'xero',
    heads: ['contactname', 'emailaddress', 'poaddressline1'],
    fields: { contactname: 'companyName', accountnumber: 'accountingId' },
  },
  {
    layout: 'quickbooks_desktop',
    heads: ['activestatus', 'vendor', 'billfrom1'],
    fields: { vendor: 'companyName', accountno: 'accountingId' },
  },
  {
    layout: 'quickbooks_online',
    heads: ['vendor', 'companyname', 'trackpaymentsfor1099'],
    fields: { vendor: 'companyName', street: 'address.line1' },
  },
  {
    layout: 'projecthound',
    heads: ['subcontractor', 'trade', 'glvendor'],
    fields: { subcontractor: 'companyName', glvendor: 'accountingId' },
  },
]

/**
 * Returns the index of the row with the headings. This is the row with the most known headings among the first rows.
 */
export function findHeadingRow({ rows }: Table, { fields }: ImportKindDefinition): number {
  const known = new Set([...Object.values(fields), ...Object.values(fields)].flatMap(({ heads }) => heads))
  for (const { heads } of LAYOUTS) for (const head of heads) known.add(head)
  const scores = rows.slice(0, MAX_TITLE_ROWS).map((cells) => {
    const keys = cells.map((cell) => (typeof cell === 'string' ? toHeadingKey(cell) : ''))
    // Also counts the cells with text. A title such as "Vendors" is in one cell, but headings are in several cells.
    return { known: keys.filter((key) => known.has(key)).length, texts: keys.filter((key) => key !== '').length }
  })
  const best = scores.reduce((best, score, at) => (score.known > (scores[best]?.known ?? 0) ? at : best), 0)
  if ((scores[best]?.known ?? 0) >= 1) return best
  const widest = Math.max(...scores.map(({ texts }) => texts))
  return Math.max(
    0,
    scores.findIndex(({ texts }) => texts === widest),
  )
}

/** The maximum number of rows above the headings. Reports have a few lines with titles there. */
const MAX_TITLE_ROWS = 20

export function detectLayout(heads: readonly string[], { kind }: ImportKindDefinition): Layout | null {
  if (kind !== 'vendor') return null
  const keys = new Set(heads.map(toHeadingKey))
  return LAYOUTS.find((each) => each.heads.every((head) => keys.has(head)))?.layout ?? null
}

/** Assigns fields to columns, first by heading and then by content. Assigns each field only once. */
export function recognizeColumns(
  heads: readonly string[],
  cells: readonly (readonly Cell[])[],
  definition: ImportKindDefinition,
): RecognizedColumn[] {
  const keys = heads.map(toHeadingKey)
  const assigned = new Map<number, RecognizedColumn>()
  const taken = new Set<string>()
  const assign = (column: number, field: string, recognizedBy: RecognizedColumn['recognizedBy']) => {
    assigned.set(column, { field, recognizedBy })
    taken.add(field)
  }
  const layout = LAYOUTS.find((each) => each.layout === detectLayout(heads, definition))
  for (const [column, key] of keys.entries()) {
    const field = layout !== undefined && Object.hasOwn(layout.fields, key) ? layout.fields[key] : undefined
    if (field !== undefined && !taken.has(field)) assign(column, field, 'heading')
  }
  for (const { column, field } of listHeadMatches(keys, definition))
    if (!assigned.has(column) && !taken.has(field)) assign(column, field, 'heading')
  // A required field may replace an optional field. For example, a description may be the only name.
  for (const [field, { isRequired, heads }] of Object.entries(definition.fields)) {
    if (isRequired !== true || taken.has(field)) continue
    const column = keys.findIndex(
      (key, at) => heads.includes(key) && !isRequiredField(assigned.get(at)?.field, definition),
    )
    if (column >= 0) assign(column, field, 'heading')
  }
  for (const column of keys.keys()) {
    if (assigned.has(column) || OTHER_HEADS.test(keys[column] ?? '')) continue
    const field = findFieldByContent(cells[column] ?? [], definition, taken)
    if (field !== undefined) assign(column, field, 'content')
  }
  return keys.map((_, column) => assigned.get(column) ?? { field: null, recognizedBy: null })
}

/**
 * Headings of columns whose content could belong to another field. For example, a fax number looks like a phone number.
 */
const OTHER_HEADS = /fax|mobile|cell|alt|secondary|second|ship|ddi|cc|^balance|balance$/

function isRequiredField(field: string | null | undefined, { fields }: ImportKindDefinition): boolean {
  return field != null && Object.hasOwn(fields, field) && fields[field]?.isRequired === true
}

/** Returns the columns whose headings match a field. For each field, the most typical heading is first. */
function listHeadMatches(
  keys: readonly string[],
  { fields }: ImportKindDefinition,
): { column: number; field: string }[] {
  const matches = keys.flatMap((key, column) =>
    Object.entries(fields).flatMap(([field, { heads }]) => {
      const rank = [field.toLowerCase().replaceAll(/[^a-z0-9]/g, ''), ...heads].indexOf(key)
      return key === '' || rank < 0 ? [] : [{ column, field, rank }]
    }),
  )
  return matches.sort((a, b) => a.rank - b.rank || a.column - b.column)
}

/** The share of cells that must match. A few cells in a file can be wrong. */
const FITTING_SHARE = 0.8
const MAX_COMPARED_CELLS = 200

function findFieldByContent(
  cells: readonly Cell[],
  { fields }: ImportKindDefinition,
  taken: ReadonlySet<string>,
): string | undefined {
  const texts = cells.flatMap((cell) => (typeof cell === 'string' ? [cell] : [])).slice(0, MAX_COMPARED_CELLS)
  if (texts.length === 0) return undefined
  return Object.entries(fields).find(
    ([field, { content }]) =>
      content !== undefined &&
      !taken.has(field) &&
      texts.filter((text) => content.test(text)).length >= texts.length * FITTING_SHARE,
  )?.[0]
}
