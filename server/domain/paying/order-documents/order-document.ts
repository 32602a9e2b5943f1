import type { Community, Home, PurchaseOrder, Vendor } from '../../../../client/contract.gen.ts'
import type { Organization } from '../../../platform/calls/call.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { computePercentAmount } from '../../../platform/values/money.ts'
import type { Drawing } from '../documents/drawing-thread.ts'
import {
  createAmountFormatter,
  createPdf,
  drawRule,
  ensureSpace,
  formatDecimal,
  formatLongDate,
  GRAY,
  getPageBottom,
  MARGIN,
  type PdfDocument,
  removeControlCharacters,
  toOneLine,
} from '../documents/pdf.ts'

/** The data shown in an order's document. */
export interface OrderSheet {
  order: PurchaseOrder
  builder: Organization
  /** The builder's terms, printed at the end of the document. */
  terms: string | null
  vendor: Pick<Vendor, 'companyName' | 'contactName' | 'address' | 'email' | 'phone'>
  home: Pick<Home, 'name' | 'lotNumber' | 'address'>
  community: Pick<Community, 'name' | 'city' | 'state'>
  /** The number of the order that this order changes or follows up on. */
  parentNumber: string | null
}

export async function drawDocument(sheet: OrderSheet): Promise<Buffer> {
  const { order, builder } = sheet
  const about = {
    ...{ title: `Purchase order ${order.number}`, author: builder.name, changedAt: order.updatedAt },
    ...{ foot: [order.number, builder.name], mark: MARKS[order.status] },
  }
  return createPdf(about, (doc) => {
    drawHeader(doc, sheet)
    drawLines(doc, sheet)
    drawTotals(doc, sheet)
    drawTexts(doc, sheet)
  })
}

export const orderDrawing: Drawing<OrderSheet> = { module: import.meta.url, drawDocument }

function drawHeader(doc: PdfDocument, { order, builder, vendor, home, community, parentNumber }: OrderSheet): void {
  doc.font('bold').fontSize(14).text(toOneLine(builder.name))
  doc.fontSize(18).text(`Purchase order ${order.number}`)
  doc.moveDown(0.3).font('plain').fontSize(9)
  const date = toLocalDate(builder.timeZone, new Date(order.issuedAt ?? order.createdAt))
  const facts = [
    `Date: ${formatLongDate(date)}`,
    `Trade: ${order.scope}`,
    ...(order.poType === 'base' ? [] : [`Kind: ${order.poType}`]),
    ...(parentNumber === null ? [] : [`Follows from: ${parentNumber}`]),
    order.noPayment ? 'For scheduling only; no payment is due' : `Amounts in ${order.currency}`,
  ]
  doc.text(facts.map(toOneLine).join('   '))
  doc.moveDown(1)
  const top = doc.y
  const width = (doc.page.width - 2 * MARGIN - 20) / 2
  const address = (of: Home['address']) =>
    of === null
      ? []
      : [of.line1, of.line2, [of.city, [of.state, of.postalCode].filter(Boolean).join(' ')].filter(Boolean).join(', ')]
  const block = (x: number, title: string, name: string, rest: (string | null)[]) => {
    doc.font('plain').fillColor(GRAY).text(title, x, top, { width })
    doc.font('bold').fillColor('black').text(toOneLine(name), { width }).font('plain')
    for (const line of rest.filter((text) => text !== null && text !== '')) doc.text(toOneLine(line ?? ''), { width })
    return doc.y
  }
  const { companyName, contactName, email, phone } = vendor
  const left = block(MARGIN, 'To', companyName, [contactName, ...address(vendor.address), email, phone])
  // Most homes are named after their lot.
  const lot = home.lotNumber === null || home.name.includes(home.lotNumber) ? null : `Lot ${home.lotNumber}`
  const place = [community.name, community.city, community.state].filter(Boolean).join(', ')
  const right = block(MARGIN + width + 20, 'For', home.name, [lot, ...address(home.address), place])
  doc.x = MARGIN
  doc.y = Math.max(left, right) + 16
}

/** Returns the columns of the table with their widths and contents. */
function listColumns({ order }: OrderSheet) {
  const amount = createAmountFormatter(order.currency)
  const unitPrice = createAmountFormatter(order.currency, 4)
  type Line = PurchaseOrder['lines'][number]
  return [
    { title: '#', width: 24, align: 'left', of: (_line: Line, i: number) => String(i + 1) },
    { title: 'Description', width: 206, align: 'left', of: (line: Line) => line.description },
    {
      title: 'Quantity',
      width: 84,
      align: 'right',
      of: (line: Line) => `${formatDecimal(line.quantity)} ${line.unit}`,
    },
    { title: 'Unit price', width: 68, align: 'right', of: (line: Line) => unitPrice(line.unitPrice) },
    { title: 'Tax', width: 54, align: 'right', of: (line: Line) => amount(line.taxAmount) },
    { title: 'Amount', width: 68, align: 'right', of: (line: Line) => amount(line.total) },
  ] as const
}

const COLUMN_GAP = 4

function drawLines(doc: PdfDocument, sheet: OrderSheet): void {
  const columns = listColumns(sheet)
  const row = (cells: readonly string[]) => {
    const heights = cells.map((cell, i) => doc.heightOfString(cell, { width: (columns[i]?.width ?? 0) - COLUMN_GAP }))
    const height = Math.max(...heights) + 6
    const isTitle = doc.y + height > getPageBottom(doc)
    if (isTitle) {
      doc.addPage()
      titles()
    }
    const top = doc.y
    let x = MARGIN
    cells.forEach((cell, i) => {
      const { width = 0, align = 'left' } = columns[i] ?? {}
      doc.text(cell, x, top, { width: width - COLUMN_GAP, align })
      x += width
    })
    doc.x = MARGIN
    doc.y = top + height
    drawRule(doc, '#dddddd')
  }
  const titles = () => {
    doc.font('bold').fontSize(8.5)
    let x = MARGIN
    const top = doc.y
    for (const { title, width, align } of columns) {
      doc.text(title, x, top, { width: width - COLUMN_GAP, align })
      x += width
    }
    doc.x = MARGIN
    doc.moveDown(0.4)
    drawRule(doc, '#000000')
    doc.font('plain')
  }
  titles()
  sheet.order.lines.forEach((line, i) => {
    row(columns.map((column) => toOneLine(column.of(line, i))))
  })
}

function drawTotals(doc: PdfDocument, { order }: OrderSheet): void {
  const amount = createAmountFormatter(order.currency)
  const { subtotal, taxTotal, total, retainagePercent } = order
  const retained = computePercentAmount(total, retainagePercent, order.currency)
  const rows: [string, string, 'plain' | 'bold'][] = [
    ['Subtotal', amount(subtotal), 'plain'],
    ['Tax', amount(taxTotal), 'plain'],
    ['Total', amount(total), 'bold'],
  ]
  if (retainagePercent > 0)
    rows.push([`Of it retained until the end (${formatDecimal(retainagePercent)} %)`, amount(retained), 'plain'])
  ensureSpace(doc, rows.length * 14 + 10)
  doc.moveDown(0.6).fontSize(9)
  for (const [name, value, font] of rows) {
    const top = doc.y
    doc.font(font).text(name, MARGIN + 150, top, { width: 244, align: 'right' })
    doc.text(value, MARGIN + 404, top, { width: 96, align: 'right' })
    doc.y = top + 14
  }
  doc.x = MARGIN
}

function drawTexts(doc: PdfDocument, { order, terms }: OrderSheet): void {
  for (const [title, text] of [
    ['Notes', order.notes],
    ['Terms', terms],
  ] as const) {
    if (text === null || text.trim() === '') continue
    ensureSpace(doc, 50)
    doc.moveDown(1).font('bold').fontSize(10).text(title)
    doc.font('plain').fontSize(9).text(removeControlCharacters(text))
  }
}

/** The watermarks of orders that are not valid. */
const MARKS: { readonly [Status in PurchaseOrder['status']]?: string } = {
  draft: 'DRAFT',
  pending_approval: 'NOT APPROVED',
  declined: 'DECLINED',
  void: 'VOID',
}
