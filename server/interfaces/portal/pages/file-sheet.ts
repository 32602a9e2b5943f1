import type { PortalAttachment } from '../../../../client/contract.gen.ts'
import { escapeHtml, formatFileSize } from './html.ts'
import { type PageContext, renderSheet } from './page-context.ts'

/**
 * Renders a list of the files that a vendor can download for an invitation or an order; empty if there are no files.
 */
export function renderFileSheet(
  { reader, root }: PageContext,
  files: readonly PortalAttachment[],
  subject: string,
): string {
  if (files.length === 0) return ''
  const { documents, fromYou } = reader.words.files
  const items = files.map(({ id, fileName, size, from }) => {
    const details = from === 'vendor' ? `${formatFileSize(size)}, ${fromYou}` : formatFileSize(size)
    return `<li><div><a href="${escapeHtml(`${root}/${subject}/files/${id}`)}" download>${escapeHtml(fileName)}</a><small>${escapeHtml(details)}</small></div></li>`
  })
  return renderSheet(documents, `<ul class="rows">${items.join('\n')}</ul>`)
}
