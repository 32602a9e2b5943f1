import type { Signature } from '../../../../client/contract.gen.ts'
import type { Drawing } from '../../paying/documents/drawing-thread.ts'
import { createPdf, ensureSpace, GRAY, removeControlCharacters, toOneLine } from '../../paying/documents/pdf.ts'

/** The data shown in the document of a walkthrough. */
export interface WalkthroughSheet {
  builder: string
  home: string
  /** The list of items or, for a signed walkthrough, the entire signed text. */
  text: string
  changedAt: string
  signature: Pick<Signature, 'textSha256'> | null
}

export async function drawDocument({ builder, home, text, changedAt, signature }: WalkthroughSheet): Promise<Buffer> {
  const [title = '', ...rest] = text.split('\n')
  const about = {
    ...{ title, author: builder, changedAt, foot: [home, builder] },
    mark: signature === null ? 'NOT SIGNED' : undefined,
  }
  return createPdf(about, (doc) => {
    doc.font('bold').fontSize(14).text(toOneLine(builder))
    doc.fontSize(16).text(toOneLine(title))
    doc.font('plain').fontSize(10)
    for (const line of rest) {
      ensureSpace(doc, 30)
      doc.text(line === '' ? ' ' : removeControlCharacters(line))
      doc.moveDown(0.2)
    }
    if (signature === null) return
    ensureSpace(doc, 40)
    doc.moveDown(1).fontSize(8).fillColor(GRAY).text(`SHA-256 of the signed text: ${signature.textSha256}`)
  })
}

export const walkthroughDrawing: Drawing<WalkthroughSheet> = { module: import.meta.url, drawDocument }
