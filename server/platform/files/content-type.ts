import { createReadStream } from 'node:fs'
import { fileTypeFromFile } from 'file-type'

/**
 * The content types of files that are accepted. The type is determined from the content, because an attacker can give a
 * program the file name of a picture. The list excludes all types that can execute code when they are opened (programs,
 * scripts, web pages, and macros), and archives.
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

/**
 * The maximum time for determining the type of a file. Normal files take far less time, but a manipulated file could
 * keep the library busy.
 */
const DETECTION_TIMEOUT_MS = 5000

export async function detectContentType(path: string, fileName: string): Promise<string | null> {
  // If the library cannot parse the content, it is not one of the known types, but it can still be text.
  const found = await fileTypeFromFile(path, { signal: AbortSignal.timeout(DETECTION_TIMEOUT_MS) }).catch(
    () => undefined,
  )
  if (found !== undefined) return ACCEPTED_TYPES.has(found.mime) ? found.mime : null
  if (!(await isPlainText(path))) return null
  // A CSV table is also text and equally harmless, so the file name can distinguish between these two types.
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
