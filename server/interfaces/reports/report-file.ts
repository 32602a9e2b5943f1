import { stringify } from 'csv-stringify/sync'
import type { ReportFormat } from '../../../client/contract.gen.ts'
import {
  createAmountFormatter,
  createPdf,
  drawRule,
  ensureSpace,
  formatDecimal,
  GRAY,
  MARGIN,
  type PdfDocument,
  TooManyPagesError,
  toOneLine,
} from '../../domain/paying/documents/pdf.ts'
import { CSV_FORM_FOR_PEOPLE } from '../../platform/values/csv-form.ts'
import { toFieldLabel } from '../../platform/values/field-words.ts'
import { truncateText } from '../../platform/values/placeholders.ts'
import {
  chooseFigureKind,
  type FigureKind,
  type ReportList,
  type ReportParts,
  type ReportSchema,
  readReport,
  type Values,
} from './report-parts.ts'

/** The content of a report's file. */
export interface ReportContent {
  name: string
  builder: string
  currency: string
  date: string
  result: Values
  schema: ReportSchema
}

export interface ReportFile {
  fileName: string
  bytes: Buffer
}

/** The maximum size of an emailed file, in bytes. Mail servers often reject larger emails. */
export const MAX_FILE_BYTES = 5_000_000
const TRUNCATED = 'The list is incomplete because it is too long. Totals cover only the rows that are shown.'
/** Longer names are hard to read in a mail program. The date and the ending follow the name. */
const MAX_FILE_NAME_LENGTH = 120
/**
 * The maximum number of columns in the PDF. More columns would be too narrow to read. The CSV file and the report page
 * contain all columns.
 */
const MAX_PDF_COLUMNS = 8
/**
 * The maximum number of rows in the PDF. More rows are hard to read on paper. The CSV file and the report page contain
 * all rows.
 */
const MAX_PDF_ROWS = 500

/** Creates the file of a report. Returns null if the format is a link, and if the file is too large for an email. */
export async function createReportFile(format: ReportFormat, content: ReportContent): Promise<ReportFile | null> {
  if (format === 'link') return null
  const parts = readReport(content.result, content.schema)
  const bytes = format === 'csv' ? toCsvFile(parts) : await toPdfFile(parts, content)
  if (bytes === null || bytes.length > MAX_FILE_BYTES) return null
  return { fileName: `${toFileName(content.name)} ${content.date}.${format}`, bytes }
}

/** Writes all lists of a report into one CSV file. Each list has its title, its column headings, and its rows. */
function toCsvFile({ lists, figures, isTruncated }: ReportParts): Buffer {
  const simple = Object.entries(figures).filter(([, value]) => typeof value !== 'object')
  const totals = simple.map(([field, value]) => [toFieldLabel(field), toCsvCell(value)])
  const tables = lists.flatMap(({ title, columns, rows }) => [
    [],
    [title],
    columns.map(({ name }) => toFieldLabel(name)),
    ...rows.map((row) => columns.map(({ name }) => toCsvCell(row[name]))),
  ])
  const end = isTruncated ? [[], [TRUNCATED]] : []
  return Buffer.from(stringify([...totals, ...tables, ...end], CSV_FORM_FOR_PEOPLE))
}

function toCsvCell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return value
  return Array.isArray(value) ? value.join('; ') : String(value)
}

async function toPdfFile(parts: ReportParts, content: ReportContent): Promise<Buffer | null> {
  const { name, builder, date } = content
  const about = { title: name, author: builder, changedAt: `${date}T00:00:00.000Z`, foot: [builder, name] }
  try {
    return await createPdf(about, (doc) => drawReport(doc, parts, content))
  } catch (error) {
    if (error instanceof TooManyPagesError) return null
    throw error
  }
}

function drawReport(
  doc: PdfDocument,
  { figures, lists, unknown, isTruncated }: ReportParts,
  { name, builder, currency, date, schema }: ReportContent,
): void {
  const money = createAmountFormatter(currency)
  doc.font('bold').fontSize(16).text(toOneLine(name))
  doc
    .font('plain')
    .fontSize(9)
    .fillColor(GRAY)
    .text(`${toOneLine(builder)}, ${date}`)
    .fillColor('black')
    .moveDown()
  doc.fontSize(9)
  for (const [field, value] of Object.entries(figures)) {
    if (value === null || typeof value === 'object') continue
    ensureSpace(doc, 14)
    const kind = chooseFigureKind(field, schema.properties?.[field])
    doc.text(`${toFieldLabel(field)}: ${toPdfCell(value, kind, money)}`)
  }
  if (isTruncated) doc.moveDown().text(TRUNCATED)
  for (const list of lists) drawList(doc, list, money)
  for (const sentence of unknown) doc.moveDown().fillColor(GRAY).text(toOneLine(sentence)).fillColor('black')
}

function drawList(
  doc: PdfDocument,
  { title, columns: all, rows }: ReportList,
  money: (amount: number) => string,
): void {
  ensureSpace(doc, 60)
  doc.moveDown().font('bold').fontSize(11).text(toOneLine(title), MARGIN).font('plain').fontSize(8)
  if (rows.length === 0) {
    doc.text('No rows.')
    return
  }
  const columns = all.slice(0, MAX_PDF_COLUMNS)
  const width = (doc.page.width - 2 * MARGIN) / columns.length
  const drawCells = (cells: readonly string[]) => {
    const options = { width: width - 6 }
    const height = Math.max(...cells.map((cell) => doc.heightOfString(cell, options)))
    ensureSpace(doc, height + 6)
    const { y } = doc
    for (const [at, cell] of cells.entries())
      doc.text(cell, MARGIN + at * width, y, { ...options, align: columns[at]?.kind === 'text' ? 'left' : 'right' })
    doc.x = MARGIN
    doc.y = y + height + 6
  }
  doc.moveDown(0.5).font('bold')
  drawCells(columns.map(({ name }) => toFieldLabel(name)))
  doc.font('plain')
  for (const row of rows.slice(0, MAX_PDF_ROWS)) {
    drawRule(doc, '#dddddd')
    drawCells(columns.map(({ name, kind }) => toPdfCell(row[name], kind, money)))
  }
  const left = [...(all.length > columns.length ? ['columns'] : []), ...(rows.length > MAX_PDF_ROWS ? ['rows'] : [])]
  if (left.length > 0)
    doc
      .fillColor(GRAY)
      .text(`The report page shows more ${left.join(' and ')}.`)
      .fillColor('black')
}

function toPdfCell(value: unknown, kind: FigureKind, money: (amount: number) => string): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'number') return toOneLine(Array.isArray(value) ? value.join('; ') : String(value))
  if (kind === 'money') return money(value)
  return kind === 'percent' ? `${formatDecimal(value)}%` : formatDecimal(value)
}

/** Returns a name without characters that file systems reject. */
function toFileName(name: string): string {
  return truncateText(name.replaceAll(/[^\p{L}\p{N} .&()-]+/gu, ' ').trim(), MAX_FILE_NAME_LENGTH) || 'Report'
}
