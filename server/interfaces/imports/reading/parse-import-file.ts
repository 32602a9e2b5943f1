import { decodeText, detectEncoding, type TextEncoding } from './decode-text.ts'
import { type Delimiter, readCsv } from './read-csv.ts'
import { readProjectXml } from './read-project-xml.ts'
import { readWorkbook } from './read-workbook.ts'
import { createUnreadableFileProblem, type Table } from './table.ts'

/** Settings by the user that override the detected encoding, separator, or sheet. */
export interface ReadingChoices {
  encoding?: TextEncoding | undefined
  delimiter?: Delimiter | undefined
  sheet?: string | undefined
}

/** A file's content and its detected format. */
export interface ParsedFile {
  readonly table: Table
  readonly format: 'csv' | 'xlsx' | 'project_xml'
  readonly encoding: TextEncoding | null
  readonly delimiter: Delimiter | null
  readonly sheet: string | null
  readonly sheets: readonly string[]
}

/**
 * Reads a CSV file, an Excel workbook, or a Microsoft Project schedule. Determines the format from the content of the
 * file.
 */
export async function parseImportFile(bytes: Uint8Array, choices: ReadingChoices): Promise<ParsedFile> {
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1')
  if (start.startsWith('PK')) {
    const { sheet, sheets, ...table } = await readWorkbook(bytes, choices.sheet)
    return { table, format: 'xlsx', encoding: null, delimiter: null, sheet, sheets }
  }
  if (start.startsWith('\u00d0\u00cf\u0011\u00e0'))
    throw createUnreadableFileProblem(
      'The file is an old Excel workbook (.xls) or a protected workbook. Save it as .xlsx or CSV.',
    )
  const encoding = choices.encoding ?? detectEncoding(bytes)
  const text = decodeText(bytes, encoding)
  if (/^\s*<(\?xml|Project\b)/.test(text)) {
    if (!/<Project\b/.test(text.slice(0, 2000)))
      throw createUnreadableFileProblem('The XML file is not a Microsoft Project schedule.')
    const table = readProjectXml(text)
    return { table, format: 'project_xml', encoding, delimiter: null, sheet: null, sheets: [] }
  }
  const { delimiter, ...table } = readCsv(text, choices.delimiter)
  return { table, format: 'csv', encoding, delimiter, sheet: null, sheets: [] }
}
