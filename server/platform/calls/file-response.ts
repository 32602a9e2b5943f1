import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { create as contentDisposition } from 'content-disposition'
import { Problem, problem } from '../problems/problem.ts'
import { formatCount, formatNumber } from '../values/format.ts'

/** The first and last byte of a range, both inclusive. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

export interface StoredFile {
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  /** The SHA-256 of the content in hexadecimal, which is also the ETag. */
  readonly sha256: string
  /** Whether browsers may display the content. Only for content that the service itself has created. */
  readonly isInline?: boolean
  /** Opens the entire content or a range of it. */
  open(range: ByteRange | null): Promise<Readable>
}

/** A file as the body of a response. The file is opened only when it is sent, and is streamed without buffering. */
export class FileResponse {
  readonly #file: StoredFile

  constructor(file: StoredFile) {
    this.#file = file
  }

  /**
   * Returns the content in base64, for the result of a skill, which is JSON. Throws `payload_too_large` if the file is
   * too large.
   */
  async base64(): Promise<string> {
    if (this.#file.size > MAX_BYTES_IN_JSON)
      throw problem(
        'payload_too_large',
        `The file exceeds ${formatNumber(MAX_BYTES_IN_JSON)} bytes, the maximum for a file in JSON. Download it instead.`,
      )
    const bytes = await this.#file.open(null)
    return (await buffer(bytes).catch(failIncompleteRead)).toString('base64')
  }

  /**
   * Returns the file, or the range of it, for the headers of a request. Throws `range_not_satisfiable` if the range is
   * outside the file.
   */
  sent({ range, ifRange }: { range: string | undefined; ifRange: string | undefined }): SentFile {
    const { fileName, contentType, size, sha256, isInline = false } = this.#file
    const etag = `"${sha256}"`
    const part = range === undefined || (ifRange !== undefined && ifRange !== etag) ? null : parseByteRange(range, size)
    return {
      status: part === null ? 200 : 206,
      etag,
      contentType,
      headers: {
        ...HEADERS,
        'Content-Disposition': contentDisposition(fileName, { type: isInline ? 'inline' : 'attachment' }),
        ...(part !== null && { 'Content-Range': `bytes ${part.first}-${part.last}/${size}` }),
      },
      length: part === null ? size : part.last - part.first + 1,
      open: () => this.#file.open(part),
    }
  }
}

/** Throws `unavailable` if the file store has sent only a part of the file. */
function failIncompleteRead(cause: unknown): never {
  const detail = 'The file could not be read completely from the file store. Try again in 5 seconds.'
  const unavailable = new Problem('unavailable', detail, {}, { 'Retry-After': '5' })
  // The cause is logged, but is not part of the response.
  unavailable.cause = cause
  throw unavailable
}

/** Returns a file response for content in memory. */
export function createFileResponse(fileName: string, contentType: string, bytes: Buffer): FileResponse {
  return createResponse({ fileName, contentType, isInline: false }, bytes)
}

/** Returns a file response for an image in memory that browsers may display. */
export function createImageResponse(fileName: string, contentType: string, bytes: Buffer): FileResponse {
  return createResponse({ fileName, contentType, isInline: true }, bytes)
}

function createResponse(about: Pick<StoredFile, 'fileName' | 'contentType' | 'isInline'>, bytes: Buffer): FileResponse {
  return new FileResponse({
    ...{ ...about, size: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
    open: async () => Readable.from([bytes]),
  })
}

export interface SentFile {
  status: 200 | 206
  etag: string
  contentType: string
  headers: Record<string, string>
  length: number
  open(): Promise<Readable>
}

/** The same maximum as for uploads in JSON, so that an agent can read the files that it has attached. */
const MAX_BYTES_IN_JSON = 750_000

// A file can be malicious, so browsers must download it instead of displaying it. If a browser still displays it,
// scripts in the file are blocked.
const HEADERS = {
  'Accept-Ranges': 'bytes',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Returns the requested range. Validation has already rejected all headers that are not a single range. */
function parseByteRange(range: string, size: number): ByteRange {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first <= last) return { first, last }
  throw new Problem(
    'range_not_satisfiable',
    `The requested range is outside the file, which has ${formatCount(size, 'byte')}.`,
    {},
    { 'Content-Range': `bytes */${size}`, 'Accept-Ranges': 'bytes' },
  )
}
