import { Problem } from '../../../platform/problems/problem.ts'

/** A cell of a file. Numbers occur only in workbooks; all other cells are text. An empty cell is null. */
export type Cell = string | number | null

/** The content of a file as rows. The row with the headings has not been found yet. */
export interface Table {
  readonly rows: readonly Cell[][]
  /** The line number of each row in the file, starting at 1, as in an editor or a spreadsheet. */
  readonly lines: readonly number[]
}

/** The maximum number of rows. No builder has more vendors, prices, or tasks. */
export const MAX_ROWS = 20_000
/** The maximum number of columns. No accounting system exports more columns. */
export const MAX_COLUMNS = 200
/** The maximum length of a cell, in characters. No field accepts a longer text. */
const MAX_CELL_LENGTH = 5000

/** Returns the rows that are not empty. Throws `validation_failed` if there are too many rows. */
export function toTable(rows: readonly (readonly Cell[])[], lines?: readonly number[]): Table {
  const filled = rows.flatMap((cells, at) => {
    const clean = cells.slice(0, MAX_COLUMNS).map(toCell)
    const last = clean.findLastIndex((cell) => cell !== null)
    return last < 0 ? [] : [{ cells: clean.slice(0, last + 1), line: lines?.[at] ?? at + 1 }]
  })
  if (filled.length > MAX_ROWS + 1)
    throw createUnreadableFileProblem(`The file has more than ${MAX_ROWS} rows. Split it and import each part.`)
  return { rows: filled.map(({ cells }) => cells), lines: filled.map(({ line }) => line) }
}

function toCell(cell: Cell): Cell {
  if (typeof cell !== 'string') return cell
  // Removes U+0000 and unpaired surrogates, because the contract rejects them. Also removes the apostrophe that exports
  // put before a text that a spreadsheet would run as a formula.
  const text = cell
    .toWellFormed()
    .replaceAll('\u0000', '')
    .replaceAll('\ufeff', '')
    .replace(/^'(?=[=+\-@\t\r])/, '')
    .trim()
  return text === '' ? null : text.slice(0, MAX_CELL_LENGTH)
}

/**
 * Returns the problem for an unreadable file. The problem refers to the whole request body, because the file is the
 * body.
 */
export function createUnreadableFileProblem(detail: string): Problem {
  return new Problem('validation_failed', detail, {
    errors: [{ pointer: '', code: 'file', message: 'must be a file that can be read' }],
  })
}
