import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import type { Files } from '../../platform/files/files.ts'
import { problem } from '../../platform/problems/problem.ts'

/** The content of a submitted form: its fields, and the chosen file if there is one. */
export interface SentForm {
  readonly fields: Readonly<Record<string, string>>
  readonly file: (ReceivedFile & { readonly fileName: string }) | null
}

/** A photograph of a certificate or a scanned quote is smaller. Uploads through the API may be larger. */
const MAX_FILE_BYTES = 10 * 1024 * 1024
/** Three fields for each of the 200 lines that a request can have, plus those of every bid. */
const MAX_FIELDS = 700
/** The longest value of a field, in bytes. */
const MAX_FIELD_BYTES = 20_000
/** The length of all fields together, in bytes. A bid of 200 lines with long notes stays below it. */
const MAX_FIELDS_BYTES = 1024 * 1024

/**
 * Reads a form with a file. The file is written to a temporary path as it arrives and is never in memory as a whole.
 * The caller must discard it. Throws `payload_too_large`, and `malformed_request` if the body is not a form or does not
 * arrive within `withinMs` milliseconds.
 */
export async function readForm(req: IncomingMessage, files: Files, withinMs: number): Promise<SentForm> {
  const { 'content-type': type = '', ...headers } = req.headers
  if (!type.toLowerCase().startsWith('multipart/form-data'))
    throw problem('malformed_request', 'The body must be multipart/form-data.')
  const fields: Record<string, string> = Object.create(null)
  let size = 0
  let isTooLarge = Number(headers['content-length'] ?? 0) > MAX_FILE_BYTES + MAX_FIELDS_BYTES
  if (isTooLarge) throw tooLarge()
  let arriving: Promise<SentForm['file']> = Promise.resolve(null)
  const uploads: Readable[] = []
  const form = createFormParser({ ...headers, 'content-type': type })
  form.on('field', (name, value, _isNameCut, isCut) => {
    size += name.length + value.length
    if (isCut || size > MAX_FIELDS_BYTES) isTooLarge = true
    else fields[name] = value.replaceAll('\0', '').replaceAll('\r\n', '\n').toWellFormed()
  })
  form.on('file', (_name, stream, fileName) => {
    // A form without a chosen file sends one without a name and without bytes. The parser emits an error on a truncated
    // file, which would end the process if nothing listened.
    stream.on('error', (error) => stream.destroy(error))
    if (fileName === undefined || fileName === '') stream.resume()
    else {
      uploads.push(stream)
      stream.on('limit', () => {
        isTooLarge = true
      })
      arriving = files.receive(stream).then((file) => ({ ...file, fileName }))
      // It is awaited below. Until then a failure must not count as an unhandled rejection.
      arriving.catch(() => undefined)
    }
  })
  try {
    await pipeline(readInPieces(req), form, { signal: AbortSignal.timeout(withinMs) })
  } catch {
    // Nothing more of the file arrives.
    for (const upload of uploads) upload.destroy(new Error('The form ended before it was complete.'))
    await arriving.then((file) => file?.discard()).catch(() => undefined)
    throw problem('malformed_request', 'The body is not a valid form.')
  }
  const file = await arriving
  if (!isTooLarge) return { fields, file }
  await file?.discard()
  throw tooLarge()
}

/**
 * Yields the body in small pieces. The parser waits forever after a piece that contains both the end of a file and more
 * of a skipped part than it buffers. The request is not destroyed, because the socket is still needed for an error
 * response.
 */
async function* readInPieces(req: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES)
}

const PIECE_BYTES = 8 * 1024

function createFormParser(headers: IncomingHttpHeaders & { 'content-type': string }) {
  const parts = { fields: MAX_FIELDS, files: 1, parts: MAX_FIELDS + 1 }
  try {
    return new Busboy({ headers, limits: { ...parts, fieldSize: MAX_FIELD_BYTES, fileSize: MAX_FILE_BYTES } })
  } catch {
    throw problem('malformed_request', 'The Content-Type header has no boundary parameter.')
  }
}

function tooLarge() {
  return problem('payload_too_large', `The file exceeds the limit of ${MAX_FILE_BYTES} bytes.`)
}
