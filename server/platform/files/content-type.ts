import { createReadStream } from 'node:fs'
import { fileTypeFromFile } from 'file-type'

/**
 * Returns the type of a file by its content; null if it is not accepted. A name proves nothing: an attacker gives a
 * program the name of a picture. Types that run when they are opened (programs, scripts, web pages, macros, and all
 * archives) are not in the list.
 */
const ACCEPTED_TYPES: ReadonlySet<string> = new Set([
  'application/pdf',
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff', 'image/heic', 'image/heif'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ...['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.spreadsheet'],
  ...['video/mp4', 'video/quicktime'],
])

/** Far more than any honest file takes. A crafted file may try to keep its reader busy. */
const DETECTION_TIMEOUT_MS = 5000

export async function detectContentType(path: string, fileName: string): Promise<string | null> {
  // Content that the library cannot parse is none of the known types, and may still be text.
  const found = await fileTypeFromFile(path, { signal: AbortSignal.timeout(DETECTION_TIMEOUT_MS) }).catch(
    () => undefined,
  )
  if (found !== undefined) return ACCEPTED_TYPES.has(found.mime) ? found.mime : null
  if (!(await isPlainText(path))) return null
  // A table is text too, and equally harmless, so here the name may decide between the two.
  return /\.csv$/i.test(fileName) ? 'text/csv' : 'text/plain'
}

/** Returns whether the file is UTF-8 text without control characters. */
async function isPlainText(path: string): Promise<boolean> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path)) {
      if (CONTROL.test(utf8.decode(chunk as Buffer, { stream: true }))) return false
    }
    return !CONTROL.test(utf8.decode())
  } catch {
    return false
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: These are what no text has; it may have tabs and line breaks.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f]/
