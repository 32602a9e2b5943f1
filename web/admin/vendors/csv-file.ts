import { parse } from 'csv-parse/browser/esm/sync'

/** The content of an uploaded file: the column headings and the rows below. */
export interface CsvFile {
  heads: readonly string[]
  rows: readonly (readonly string[])[]
}

/** More vendors than any builder has. Each 200 of them are one request. */
export const MAX_ROWS = 5000
/** Rows of 400 characters, for the maximum number of rows. */
export const MAX_BYTES = 2_000_000

/**
 * Parses a file as accounting systems and spreadsheets write it, or returns a sentence that says why it cannot be read.
 */
export function readCsv(text: string): CsvFile | string {
  if (text.length > MAX_BYTES) return 'The file is larger than 2 MB. Split it and import each part.'
  let lines: string[][]
  try {
    lines = parse(text, {
      ...{ bom: true, skip_empty_lines: true, relax_column_count: true, relax_quotes: true, trim: true },
      delimiter: detectDelimiter(text),
    })
  } catch (error) {
    return `The file cannot be read: ${error instanceof Error ? error.message : 'it is not a CSV file'}.`
  }
  const [heads, ...rows] = lines
  if (heads === undefined || rows.length === 0) return 'The file has no rows below the column headings.'
  if (rows.length > MAX_ROWS) return `The file has more than ${MAX_ROWS} rows. Split it and import each part.`
  return { heads, rows }
}

/** Spreadsheets use the separator of their country. The most frequent candidate in the first line is the separator. */
function detectDelimiter(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1)
  const counted = [',', ';', '\t'].map((sign) => ({ sign, times: first.split(sign).length }))
  return counted.reduce((max, one) => (one.times > max.times ? one : max)).sign
}
