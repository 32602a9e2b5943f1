/** An encoding of text files, with the name that users see. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/**
 * Detects the encoding of a text file from its byte order mark. Without a byte order mark, the encoding is UTF-16 if
 * every second byte at the beginning is zero, or UTF-8 if all bytes are valid UTF-8. Otherwise, the encoding is
 * Windows-1252, in which spreadsheets in Western countries save CSV files.
 */
export function detectEncoding(bytes: Uint8Array): TextEncoding {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const start = bytes.subarray(0, SAMPLE_BYTES)
  const zeros = [0, 1].map((parity) => start.filter((byte, at) => byte === 0 && at % 2 === parity).length)
  const [even = 0, odd = 0] = zeros
  if (odd > start.length / 4 && even === 0) return 'utf-16le'
  if (even > start.length / 4 && odd === 0) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

/** The number of bytes to examine, which is enough to recognize UTF-16 without a byte order mark. */
const SAMPLE_BYTES = 512

/** Decodes a text and removes its byte order mark. Bytes that are invalid in the encoding become U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: TextEncoding): string {
  return new TextDecoder(encoding).decode(bytes)
}
