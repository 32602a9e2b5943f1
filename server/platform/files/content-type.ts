import { createReadStream } from 'node:fs'
import { fileTypeFromFile } from 'file-type'

/**
 * Returns the content type of a file, determined by its content; null if the type is not accepted. The file name proves
 * nothing, because an attacker can give a program the name of a picture. The list does not contain types that run when
 * they are opened: programs, scripts, web pages, macros, and all archives.
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

/** This is far more time than any regular file takes. A crafted file may try to keep the library busy. */
const DETECTION_TIMEOUT_MS = 5000

export async function detectContentType(path: string, fileName: string): Promise<string | null> {
  // Content that the library cannot parse has none of the known types, but may still be text.
  const found = await fileTypeFromFile(path, { signal: AbortSignal.timeout(DETECTION_TIMEOUT_MS) }).catch(
    () => undefined,
  )
  if (found !== undefined) return ACCEPTED_TYPES.has(found.mime) ? found.mime : null
  if (!(await isPlainText(path))) return null
  // A CSV table is also text, and equally harmless, so here the file name may decide between the two types.
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
