import type { FieldError } from '../../client/contract.gen.ts'
import { toErrorMessage } from '../api/error-message.ts'

/** A column of a sheet, in the order in which cells are pasted. */
export interface SheetColumn<Name extends string = string> {
  readonly name: Name
  readonly head: string
  /** `number` aligns the texts to the right, and `code` shows them in a fixed-width font. */
  readonly look?: 'text' | 'number' | 'code'
  readonly placeholder?: string
  /** Whether the column suggests texts. */
  readonly suggests?: boolean
  /** Whether the column contains words, whose spelling the browser checks. */
  readonly isProse?: boolean
  /** The language of the texts, if it is not the language of the page. */
  readonly lang?: string
}

export type SheetCells<Name extends string = string> = Readonly<Partial<Record<Name, string>>>

/** One row of a sheet: the texts of its cells, as the user typed them. */
export interface SheetRow<Name extends string = string> {
  readonly key: string
  readonly cells: SheetCells<Name>
}

/** Reads and writes the cells of rows that are stored in another form than SheetRow. */
export interface CellAccess<Row, Name extends string = string> {
  /** Returns the text of a cell as the user has typed it. */
  read(row: Row, name: Name): string
  write(row: Row, cells: SheetCells<Name>): Row
  /** Returns whether the user has entered nothing in the row. Such rows are not saved. */
  isEmpty(row: Row): boolean
}

export function createCellAccess<Name extends string>(
  columns: readonly SheetColumn<Name>[],
): CellAccess<SheetRow<Name>, Name> {
  return {
    read: ({ cells }, name) => cells[name] ?? '',
    write: (row, cells) => ({ ...row, cells: { ...row.cells, ...cells } }),
    isEmpty: (row) => isEmptySheetRow(row, columns),
  }
}

/** The errors of a row by column. */
export type CellErrors = Readonly<Record<string, string | undefined>>

/** Returns an empty row. */
export function createSheetRow(): { readonly key: string; readonly cells: Readonly<Record<never, never>> } {
  return { key: crypto.randomUUID(), cells: {} }
}

/** Returns whether the user has typed nothing in the columns. Such rows are not saved. */
export function isEmptySheetRow<Name extends string>(
  row: SheetRow<Name>,
  columns: readonly SheetColumn<Name>[],
): boolean {
  return columns.every(({ name }) => readCell(row, name) === '')
}

/** Returns the trimmed text of a cell; an empty text if the cell is empty. */
export function readCell<Name extends string>({ cells }: SheetRow<Name>, name: Name): string {
  return (cells[name] ?? '').trim()
}

/** Returns the cells of text that was copied from a spreadsheet. */
export function splitCells(text: string): string[][] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  return lines.map((line) => line.split('\t').map((cell) => cell.trim()))
}

/** Returns the rows with the cells filled in from a place, and with further rows as needed. */
export function fillRows<Row extends { readonly key: string }, Name extends string>(
  rows: readonly Row[],
  cells: readonly (readonly string[])[],
  place: { key: string; column: Name },
  sheet: { columns: readonly SheetColumn<Name>[]; access: CellAccess<Row, Name>; createRow(): Row },
): Row[] {
  const { columns, access, createRow } = sheet
  const filled = [...rows]
  const first = rows.findIndex(({ key }) => key === place.key)
  const column = columns.findIndex(({ name }) => name === place.column)
  for (const [i, texts] of cells.entries()) {
    const row = filled[first + i] ?? createRow()
    const written: Partial<Record<Name, string>> = {}
    for (const [j, text] of texts.entries()) {
      const name = columns[column + j]?.name
      if (name !== undefined) written[name] = text
    }
    filled[first + i] = access.write(row, written)
  }
  return filled
}

/** Returns the errors of the service at their cells, and the rest of the error. */
export function splitSheetError<Name extends string>(
  error: unknown,
  sent: readonly SheetRow<Name>[],
  findCell: (error: FieldError) => { at: number; column: Name } | null,
): { rejected: ReadonlyMap<string, CellErrors>; error: unknown } {
  const rejected = new Map<string, CellErrors>()
  if (error === null || error === undefined) return { rejected, error }
  const { problem, errors } = toErrorMessage(error)
  const others = errors.filter((one) => {
    const cell = findCell(one)
    const row = cell === null ? undefined : sent[cell.at]
    if (cell === null || row === undefined) return true
    rejected.set(row.key, { ...rejected.get(row.key), [cell.column]: one.message })
    return false
  })
  if (problem === null || rejected.size === 0) return { rejected, error }
  return { rejected, error: { ...problem, detail: 'The marked cells are not valid.', errors: others } }
}
