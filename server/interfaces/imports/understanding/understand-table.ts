import { createHash } from 'node:crypto'
import type { ImportColumn, ImportQuestion } from '../../../../client/contract.gen.ts'
import { type ImportKindDefinition, toHeadingKey } from '../kinds/import-kind.ts'
import type { Cell, Table } from '../reading/table.ts'
import { createUnreadableFileProblem } from '../reading/table.ts'
import { convertCell } from './convert-cell.ts'
import { detectDateFormat, detectNumberFormat } from './number-cells.ts'
import { detectLayout, findHeadingRow, type Layout, recognizeColumns } from './recognize-columns.ts'

/** A column in the form of the contract, and whether a user has confirmed its format. */
export interface UnderstoodColumn extends ImportColumn {
  /** Whether a user has confirmed the format of cells that can be read in two ways. */
  readonly isConfirmed: boolean
}

export interface UnderstoodTable {
  readonly layout: Layout | null
  readonly headerLine: number
  readonly columns: UnderstoodColumn[]
  /** The rows below the headings. */
  readonly rows: readonly (readonly Cell[])[]
  readonly lines: readonly number[]
  /** A hash of the headings, which identifies files with the same headings. */
  readonly signature: string
}

/** The columns of an earlier import from a file with the same headings. */
export type EarlierColumns = readonly Pick<ImportColumn, 'head' | 'field' | 'numberFormat' | 'dateFormat'>[]

/** Finds the headings in a table and recognizes the columns. */
export async function understandTable(
  table: Table,
  definition: ImportKindDefinition,
  requestedLine: number | undefined,
  findEarlier: (signature: string) => Promise<EarlierColumns | null>,
): Promise<UnderstoodTable> {
  const at = requestedLine === undefined ? findHeadingRow(table, definition) : table.lines.indexOf(requestedLine)
  const headCells = table.rows[at]
  if (headCells === undefined)
    throw createUnreadableFileProblem(`Line ${requestedLine} of the file is empty or does not exist.`)
  const below = table.rows.slice(at + 1)
  const kept = below.flatMap((cells, i) => (isTotal(cells) ? [] : [{ cells, line: table.lines[at + 1 + i] ?? 1 }]))
  const rows = kept.map(({ cells }) => cells)
  if (rows.length === 0) throw createUnreadableFileProblem('The file has no rows below the column headings.')
  const width = Math.max(headCells.length, ...rows.map((cells) => cells.length))
  const heads = Array.from({ length: width }, (_, column) => String(headCells[column] ?? '').slice(0, MAX_HEAD_LENGTH))
  const cells = heads.map((_, column) => rows.map((row) => row[column] ?? null))
  const signature = createHash('sha256')
    .update([definition.kind, ...heads.map(toHeadingKey)].join('\n'))
    .digest('hex')
  const earlier = await findEarlier(signature)
  const recognized = recognizeColumns(heads, cells, definition)
  const columns = heads.map((head, column): UnderstoodColumn => {
    const before = earlier?.find((each) => each.head === head && Object.hasOwn(definition.fields, each.field ?? ''))
    const found = recognized[column] ?? { field: null, recognizedBy: null }
    const isSame = earlier === null || before?.field === found.field
    const base = isSame
      ? found
      : { field: before?.field ?? null, recognizedBy: before ? ('earlier_import' as const) : null }
    const isConfirmed = before !== undefined
    return describeColumn({ column, head, ...base, isConfirmed }, cells[column] ?? [], definition, {
      numberFormat: before?.numberFormat ?? null,
      dateFormat: before?.dateFormat ?? null,
    })
  })
  return {
    ...{ layout: detectLayout(heads, definition), headerLine: table.lines[at] ?? 1, signature },
    ...{ columns: agreeOnFormats(columns, cells, definition), rows, lines: kept.map(({ line }) => line) },
  }
}

const MAX_HEAD_LENGTH = 200

/** Returns whether a row contains totals. Reports end with such a row. */
function isTotal(cells: readonly Cell[]): boolean {
  const first = cells.find((cell) => cell !== null)
  return typeof first === 'string' && /^(grand )?totals?:?$/i.test(first)
}

/** Adds the formats and sample values to a column. Detects formats that are not specified. */
export function describeColumn(
  column: Pick<UnderstoodColumn, 'column' | 'head' | 'field' | 'recognizedBy' | 'isConfirmed'>,
  cells: readonly Cell[],
  { fields }: ImportKindDefinition,
  formats: Pick<ImportColumn, 'numberFormat' | 'dateFormat'>,
): UnderstoodColumn {
  const field = column.field === null ? undefined : fields[column.field]
  const isNumber = field?.type === 'number' || field?.type === 'integer'
  const found = {
    numberFormat: isNumber ? (formats.numberFormat ?? detectNumberFormat(cells).format) : null,
    dateFormat: field?.type === 'date' ? (formats.dateFormat ?? detectDateFormat(cells).format) : null,
  }
  const texts = new Map(cells.flatMap((cell) => (cell === null ? [] : [[String(cell), cell] as const])))
  const samples = [...texts.values()].slice(0, MAX_SAMPLES).map((cell) => ({
    text: field?.isSecret === true ? maskSecret(String(cell)) : String(cell).slice(0, MAX_SAMPLE_LENGTH),
    value: field === undefined || field.isSecret === true ? null : showValue(convertCell(cell, field, found).value),
  }))
  return { ...column, ...found, samples }
}

const MAX_SAMPLES = 3
const MAX_SAMPLE_LENGTH = 200

function showValue(value: unknown): string | null {
  if (value === null) return null
  const text = Array.isArray(value)
    ? value.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  return text.slice(0, MAX_SAMPLE_LENGTH)
}

/** Hides a secret except for its last four characters. */
export function maskSecret(text: string): string {
  return `\u2022\u2022\u2022${text.replace(/[^A-Za-z0-9]/g, '').slice(-4)}`
}

/** If all columns with an unambiguous format have the same format, assigns this format to the other columns. */
function agreeOnFormats(
  columns: readonly UnderstoodColumn[],
  cells: readonly (readonly Cell[])[],
  definition: ImportKindDefinition,
): UnderstoodColumn[] {
  const isDecisive = (text: string) => /[.,]\d{1,2}$/.test(text) || /[.,]\d{3}[.,]/.test(text)
  const decided = columns.filter(
    ({ column, numberFormat }) =>
      numberFormat !== null &&
      !detectNumberFormat(cells[column] ?? []).isDoubtful &&
      cells[column]?.some((cell) => typeof cell === 'string' && isDecisive(cell)) === true,
  )
  const [format, ...others] = [...new Set(decided.map(({ numberFormat }) => numberFormat))]
  if (format == null || others.length > 0) return [...columns]
  return columns.map((column) =>
    column.numberFormat === null || !detectNumberFormat(cells[column.column] ?? []).isDoubtful || column.isConfirmed
      ? column
      : describeColumn({ ...column, isConfirmed: true }, cells[column.column] ?? [], definition, {
          ...{ numberFormat: format, dateFormat: column.dateFormat },
        }),
  )
}

/** Returns the questions that the user must answer before rows can be saved. */
export function listQuestions(
  columns: readonly UnderstoodColumn[],
  fixedFields: readonly string[],
  cellsOf: (column: number) => readonly Cell[],
  { fields, label, identifiedBy }: ImportKindDefinition,
): ImportQuestion[] {
  const asked = columns.flatMap(({ column, head, numberFormat, dateFormat, isConfirmed }): ImportQuestion[] => {
    if (isConfirmed) return []
    const name = head === '' ? `column ${column + 1}` : `"${head}"`
    if (numberFormat !== null && detectNumberFormat(cellsOf(column)).isDoubtful) {
      const example = cellsOf(column).find((cell) => typeof cell === 'string' && /[.,]/.test(cell))
      const message = `Is ${example ?? 'the amount'} in ${name} written with a decimal point or a decimal comma?`
      return [{ code: 'number_format', column, message }]
    }
    if (dateFormat !== null && detectDateFormat(cellsOf(column)).isDoubtful) {
      const example = cellsOf(column).find((cell) => typeof cell === 'string')
      return [
        {
          code: 'date_format',
          column,
          message: `Does ${example ?? 'the date'} in ${name} start with the month or the day?`,
        },
      ]
    }
    return []
  })
  const mapped = new Set([...fixedFields, ...columns.map(({ field }) => field)])
  // If a file only changes existing records, the fields that identify the records are enough.
  const identified = identifiedBy.some((names) => names.every((name) => name.endsWith('?') || mapped.has(name)))
  const missing = Object.entries(fields).flatMap(([field, definition]): ImportQuestion[] => {
    if (definition.isRequired !== true || mapped.has(field) || identified) return []
    const message = `Which column contains ${definition.label}? It is required for ${label.toLowerCase()}.`
    return [{ code: 'required_field', column: null, message }]
  })
  return [...missing, ...asked]
}
