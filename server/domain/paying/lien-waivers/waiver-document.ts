import type { LienWaiver, Payment, Vendor } from '../../../../client/contract.gen.ts'
import type { Organization } from '../../../platform/calls/call.ts'
import type { Drawing } from '../documents/drawing-thread.ts'
import {
  createAmountFormatter,
  createPdf,
  ensureSpace,
  formatLongDate,
  MARGIN,
  type PdfDocument,
  removeControlCharacters,
  toOneLine,
} from '../documents/pdf.ts'
import { WAIVER_TITLES } from './lien-waiver.ts'

/** The data shown in a lien waiver's document. */
export interface WaiverSheet {
  waiver: LienWaiver
  builder: Pick<Organization, 'name'>
  vendor: Pick<Vendor, 'companyName'>
  payment: Pick<Payment, 'number'>
}

/** The watermarks of lien waivers that are not valid. An unsigned lien waiver has no watermark. */
const MARKS: { readonly [Status in LienWaiver['status']]?: string } = { rejected: 'REJECTED', void: 'VOID' }

/** Draws the text of a lien waiver, followed by signature lines if it is unsigned. */
export async function drawDocument({ waiver, builder, vendor, payment }: WaiverSheet): Promise<Buffer> {
  const title = WAIVER_TITLES[waiver.waiverType]
  const about = {
    ...{ title: `${title}, ${payment.number}`, author: builder.name, changedAt: waiver.updatedAt },
    ...{ foot: [payment.number, builder.name, waiver.id], mark: MARKS[waiver.status] },
  }
  return createPdf(about, (doc) => {
    doc.font('bold').fontSize(14).text(toOneLine(builder.name))
    doc.fontSize(16).text(title)
    doc.moveDown(0.3).font('plain').fontSize(9)
    const facts = [
      `Vendor: ${vendor.companyName}`,
      `Payment: ${payment.number}`,
      `Amount: ${createAmountFormatter(waiver.currency)(waiver.amount)}`,
      `Work through: ${formatLongDate(waiver.throughDate)}`,
    ]
    doc.text(facts.map(toOneLine).join('   '))
    // The text of a signed lien waiver ends with the signature.
    doc.moveDown(1.2).fontSize(10).text(removeControlCharacters(waiver.text), { lineGap: 2 })
    if (waiver.textSha256 !== null) doc.moveDown(1).fontSize(8).text(`SHA-256 of the text above: ${waiver.textSha256}`)
    if (waiver.status === 'requested') drawSignatureLines(doc, vendor)
  })
}

export const waiverDrawing: Drawing<WaiverSheet> = { module: import.meta.url, drawDocument }

function drawSignatureLines(doc: PdfDocument, { companyName }: WaiverSheet['vendor']): void {
  const names = ['Signature', 'Name and title', 'Date']
  ensureSpace(doc, 30 + names.length * 34)
  doc.moveDown(1.5).text(toOneLine(`For ${companyName}`))
  for (const name of names) {
    const y = doc.y + 30
    doc
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + 260, y)
      .lineWidth(0.5)
      .stroke()
    doc.fontSize(8).text(name, MARGIN, y + 2)
  }
}
