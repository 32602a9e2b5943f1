import type { InboundFile, InboundMailBody } from './inbound-mail.ts'

/**
 * The maximum size of a picture in the text that counts as part of a signature. Photos that a vendor pastes into the text
 * are larger.
 */
const MAX_LOGO_BYTES = 100 * 1024

/** Smaller pictures are icons and tracking pixels. */
const MAX_ICON_BYTES = 4 * 1024

/** Returns the files without those that are part of the text, such as the logo and the icons of a signature. */
export function omitSignaturePictures({ html, attachments = [] }: InboundMailBody): InboundFile[] {
  const text = html?.toLowerCase() ?? ''
  return attachments.filter((file) => file.inline !== true && !isSignaturePicture(file, text))
}

function isSignaturePicture({ content, contentId }: InboundFile, html: string): boolean {
  const size = Buffer.byteLength(content, 'base64')
  if (size > MAX_LOGO_BYTES || !isPicture(content)) return false
  return size <= MAX_ICON_BYTES || (contentId != null && isShown(contentId, html))
}

/** Returns whether the HTML shows the file with this Content-ID, such as `<image001.png@01D9>`. */
function isShown(contentId: string, html: string): boolean {
  const id = contentId
    .trim()
    .replace(/^<(.*)>$/s, '$1')
    .toLowerCase()
  return id !== '' && [id, encodeURIComponent(id).toLowerCase()].some((each) => html.includes(`cid:${each}`))
}

/** Returns whether the file is a PNG, JPEG, GIF, BMP, or WebP by its first bytes, whatever its name is. */
function isPicture(content: string): boolean {
  const start = Buffer.from(content.slice(0, 16), 'base64').toString('latin1')
  return /^(?:\x89PNG|\xff\xd8\xff|GIF8|BM|RIFF.{4}WEBP)/s.test(start)
}
