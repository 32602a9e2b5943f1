import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import type PDFDocument from 'pdfkit'
import { parsePdfFont } from '../../../platform/config/pdf-font.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'

import { extendWithScriptFonts, listScriptFonts } from './script-fonts.ts'

/** A PDF document with the paper size, fonts, and footer that all documents share. */
export type PdfDocument = InstanceType<typeof PDFDocument>

interface DocumentInfo {
  title: string
  author: string
  /** The time at which the records shown last changed. */
  changedAt: string
  /** The lines at the bottom of every page, before the page number. */
  foot: readonly string[]
  /** A watermark on the pages of a document that is not valid. */
  mark?: string | undefined
}

// A font with the letters of all European languages and Arabic. The built-in PDF fonts lack letters in names such as
// Łódź and Ελλάδα. Each document embeds only the letters that it uses.
const requireFont = createRequire(import.meta.url)
const PLAIN_FONT = requireFont.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf')
const BOLD_FONT = requireFont.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf')

export const MARGIN = 54
const FOOTER_HEIGHT = 36
export const GRAY = '#555555'

/** Thrown if a document exceeds the maximum number of pages while it is drawn. */
export class TooManyPagesError extends Error {
  readonly most = MAX_PAGES
}

/** Twice the number of pages of an order of 200 lines with the longest texts. */
const MAX_PAGES = 100

/**
 * Returns the document that `draw` draws as PDF bytes. Throws `TooManyPagesError` if the document exceeds the maximum
 * number of pages.
 */
export async function createPdf(about: DocumentInfo, draw: (doc: PdfDocument) => void): Promise<Buffer> {
  // The library uses 30 MB, so it is loaded when the first document is drawn.
  const { default: Document } = await import('pdfkit')
  const ScriptDocument = extendWithScriptFonts(Document, listScriptFonts(parsePdfFont(process.env.PDF_FONT_CJK)))
  const doc = new ScriptDocument({
    ...{ size: 'LETTER', margin: MARGIN, bufferPages: true, font: PLAIN_FONT, lang: 'en-US' },
    // The document does not depend on the time or place of drawing, so the same record always results in the same
    // bytes.
    info: {
      ...{ Title: about.title, Author: toOneLine(about.author), Producer: 'Plumbline', Creator: 'Plumbline' },
      CreationDate: new Date(about.changedAt),
    },
  })
  let pages = 1
  doc.on('pageAdded', () => {
    if (++pages > MAX_PAGES) throw new TooManyPagesError(`The document exceeds ${MAX_PAGES} pages.`)
  })
  doc.registerFont('plain', PLAIN_FONT).registerFont('bold', BOLD_FONT)
  draw(doc)
  drawFooters(doc, about)
  doc.end()
  return buffer(doc)
}

function drawFooters(doc: PdfDocument, { foot, mark }: DocumentInfo): void {
  const { start, count } = doc.bufferedPageRange()
  for (let i = start; i < start + count; i++) {
    doc.switchToPage(i)
    const { width, height, margins } = doc.page
    // Without this setting, the library would start another page when it writes text in the margin.
    margins.bottom = 0
    const line = [...foot.map(toOneLine), `Page ${i - start + 1} of ${count}`].join('   ')
    doc.font('plain').fontSize(8).fillColor(GRAY)
    doc.text(line, MARGIN, height - FOOTER_HEIGHT, { width: width - 2 * MARGIN, align: 'center', lineBreak: false })
    if (mark !== undefined) {
      doc.save().rotate(-45, { origin: [width / 2, height / 2] })
      doc.font('bold').fontSize(72).fillColor('#cc0000', 0.15)
      doc.text(mark, 0, height / 2 - 36, { width, align: 'center', lineBreak: false }).restore()
    }
    doc.fillColor('black', 1)
  }
}

export function getPageBottom(doc: PdfDocument): number {
  return doc.page.height - MARGIN
}

/** Starts a new page if less than this height is left on the current page. */
export function ensureSpace(doc: PdfDocument, height: number): void {
  if (doc.y + height > getPageBottom(doc)) doc.addPage()
}

export function drawRule(doc: PdfDocument, color: string): void {
  const y = doc.y - 3
  doc
    .moveTo(MARGIN, y)
    .lineTo(doc.page.width - MARGIN, y)
    .lineWidth(0.5)
    .strokeColor(color)
    .stroke()
}

export function createAmountFormatter(
  currency: string,
  mostDecimals = getMinorUnits(currency),
): (amount: number) => string {
  const format = new Intl.NumberFormat('en-US', {
    ...{
      style: 'currency',
      currency,
      minimumFractionDigits: getMinorUnits(currency),
      maximumFractionDigits: mostDecimals,
    },
  })
  return (amount) => format.format(amount)
}

export function formatDecimal(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 4 })
}

export function formatLongDate(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}

/** Replaces control characters, which no font can show, and all line breaks with spaces. */
export function toOneLine(text: string): string {
  return removeControlCharacters(text).replace(/\s+/g, ' ').trim()
}

/** Replaces control characters, which no font can show, with spaces. Keeps line breaks. */
export function removeControlCharacters(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n]/gu, ' ')
}
