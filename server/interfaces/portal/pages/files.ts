import type { PortalAttachment } from '../../../../client/contract.gen.ts'
import { sizeOf, text } from './html.ts'
import { type Place, sheet } from './place.ts'

/** Lists the files that a vendor can download for an invitation or an order; empty if there are none. */
export function fileSheet({ reader, root }: Place, files: readonly PortalAttachment[], subject: string): string {
  if (files.length === 0) return ''
  const { documents, fromYou } = reader.words.files
  const items = files.map(({ id, fileName, size, from }) => {
    const details = from === 'vendor' ? `${sizeOf(size)}, ${fromYou}` : sizeOf(size)
    return `<li><div><a href="${text(`${root}/${subject}/files/${id}`)}" download>${text(fileName)}</a><small>${text(details)}</small></div></li>`
  })
  return sheet(documents, `<ul class="rows">${items.join('\n')}</ul>`)
}
