import { parse } from 'csv-parse/sync'
import { createUnreadableFileProblem, type Table, toTable } from './table.ts'

/** The separators that spreadsheets use. They depend on the country. */
export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

export interface CsvTable extends Table {
  readonly delimiter: Delimiter
}

/**
 * Parses a CSV file from an accounting system or a spreadsheet. Throws `validation_failed` if the file cannot be read.
 */
export function readCsv(text: string, requested: Delimiter | undefined): CsvTable {
  // The first line of a file for Excel can specify the separator.
  const [declaration = '', declared] = /^sep=([,;|\t])\r?\n/i.exec(text) ?? []
  const body = text.slice(declaration.length)
  const delimiter = requested ?? (declared as Delimiter | undefined) ?? detectDelimiter(body)
  const skipped = declaration === '' ? 0 : 1
  try {
    const records = parse(body, { ...FORM, delimiter }) as unknown as ParsedRecord[]
    return {
      delimiter,
      ...toTable(
        records.map(({ record }) => record),
        // `info.lines` is the number of the record's last line. The record can span several lines, because cells can
        // contain line breaks.
        records.map(({ record, info }) => info.lines + skipped - countBreaks(record)),
      ),
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('CSV_')) throw error
    throw createUnreadableFileProblem(`The file cannot be read: ${error.message}.`)
  }
}

interface ParsedRecord {
  record: string[]
  info: { lines: number }
}

const FORM = {
  ...{ bom: true, info: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
  ...{ record_delimiter: ['\r\n', '\n', '\r'], max_record_size: 1_000_000 },
}

function countBreaks(record: readonly string[]): number {
  return record.reduce((sum, cell) => sum + cell.split(/\r\n|\n|\r/).length - 1, 0)
}

/**
 * Returns the separator that splits the most lines into the same number of cells. Ignores text in quotes, because it
 * may contain separators.
 */
function detectDelimiter(text: string): Delimiter {
  const lines = text
    .slice(0, SAMPLE_LENGTH)
    .replaceAll(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES)
  const scores = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1).filter((count) => count > 0)
    const usual = counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 0
    return { delimiter, score: counts.filter((count) => count === usual).length * Math.min(usual, 5) }
  })
  return scores.reduce((best, each) => (each.score > best.score ? each : best)).delimiter
}

const SAMPLE_LENGTH = 64_000
const SAMPLE_LINES = 50
