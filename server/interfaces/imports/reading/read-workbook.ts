import { strToU8, Unzip, UnzipInflate, zipSync } from 'fflate'
import readXlsxFile, { InvalidSpreadsheetError } from 'read-excel-file/universal'
import { type Cell, createUnreadableFileProblem, type Table, toTable } from './table.ts'

export interface WorkbookTable extends Table {
  readonly sheet: string
  readonly sheets: readonly string[]
}

/** The maximum size of an inflated workbook. A workbook with the maximum number of rows is smaller. */
const MAX_INFLATED_BYTES = 40_000_000
/** The maximum number of files in a workbook's archive. A workbook has a few for each sheet. */
const MAX_ENTRIES = 500
const CHUNK_BYTES = 16_384

/**
 * Reads a sheet of an Excel workbook. Throws `validation_failed` if the workbook cannot be read or is too large after
 * inflating.
 */
export async function readWorkbook(bytes: Uint8Array, requested: string | undefined): Promise<WorkbookTable> {
  const checked = inflateBounded(bytes)
  const sheets = await readXlsxFile(toArrayBuffer(checked), { trim: true }).catch((error: unknown) => {
    if (error instanceof InvalidSpreadsheetError || error instanceof Error)
      throw createUnreadableFileProblem(`The workbook cannot be read: ${error.message.slice(0, 200)}.`)
    throw error
  })
  const found = requested === undefined ? firstFilled(sheets) : sheets.find(({ sheet }) => sheet === requested)
  if (found === undefined)
    throw createUnreadableFileProblem(`The workbook has no sheet "${requested ?? ''}" with rows.`)
  const rows = found.data.map((cells) => cells.map((cell) => toCell(cell)))
  return { sheet: found.sheet, sheets: sheets.map(({ sheet }) => sheet), ...toTable(rows) }
}

function firstFilled<T extends { data: readonly unknown[] }>(sheets: readonly T[]): T | undefined {
  return sheets.find(({ data }) => data.length > 0)
}

/**
 * Inflates the archive in small pieces and stops at the maximum, so that a small file cannot exhaust the memory of the
 * process. Returns the archive without compression, so that the library reads exactly the bytes that were counted.
 */
function inflateBounded(bytes: Uint8Array): Uint8Array {
  const entries = new Map<string, Uint8Array[]>()
  let total = 0
  const fail = (): never => {
    throw createUnreadableFileProblem(
      'The unpacked workbook is too large. Save the sheet as CSV and import the CSV file.',
    )
  }
  const archive = new Unzip((entry) => {
    if (entries.size >= MAX_ENTRIES) fail()
    const chunks: Uint8Array[] = []
    entries.set(entry.name, chunks)
    entry.ondata = (error, chunk) => {
      if (error !== null) throw error
      total += chunk.length
      if (total > MAX_INFLATED_BYTES) fail()
      chunks.push(chunk)
    }
    entry.start()
  })
  archive.register(UnzipInflate)
  try {
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
      archive.push(bytes.subarray(from, from + CHUNK_BYTES), from + CHUNK_BYTES >= bytes.length)
  } catch (error) {
    if (error instanceof Error && !('extras' in error))
      throw createUnreadableFileProblem('The workbook cannot be read: it is damaged.')
    throw error
  }
  if (!entries.has('[Content_Types].xml'))
    throw createUnreadableFileProblem('The file is not an Excel workbook (.xlsx).')
  return zipSync(Object.fromEntries([...entries].map(([name, chunks]) => [name, joinChunks(chunks)])), { level: 0 })
}

function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 0) return strToU8('')
  return new Uint8Array(Buffer.concat(chunks))
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
}

/** Converts a cell from the library, which wrongly declares the type of a date cell as the constructor `Date`. */
function toCell(cell: unknown): Cell {
  if (typeof cell === 'string' || typeof cell === 'number') return cell
  if (typeof cell === 'boolean') return cell ? 'true' : 'false'
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : null
}
