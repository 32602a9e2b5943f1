import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { ReceivedFile } from '../../../platform/calls/upload.ts'
import type { Files } from '../../../platform/files/files.ts'
import { problem, validationFailed } from '../../../platform/problems/problem.ts'

/** The content of a submitted form: its fields, and the file if the user chose one. */
export interface SentForm {
  readonly fields: Readonly<Record<string, string>>
  readonly file: (ReceivedFile & { readonly fileName: string }) | null
  /** Whether the file is larger than allowed. In this case, `file` is null. */
  readonly isFileTooLarge: boolean
}

/** The maximum size of a file, as for uploads through the API. A photo from a phone or a scanned quote is smaller. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024
/** The maximum number of fields: three for each of the up to 200 lines of a request, and the other fields of a bid. */
const MAX_FIELDS = 700
/** The maximum length of a field, in bytes. */
const MAX_FIELD_BYTES = 20_000
/** The maximum length of all fields together, in bytes. A bid of 200 lines with long notes is shorter. */
const MAX_FIELDS_BYTES = 1024 * 1024
/**
 * If a form is longer than this number of bytes, the service stops reading at the file. It reads shorter forms
 * completely, because browsers show a response only after they have sent the whole form.
 */
export const MAX_READ_BYTES = 40 * 1024 * 1024
/** The minimum number of bytes within `idleMs`. An upload with fewer bytes makes no progress. */
const MIN_PROGRESS_BYTES = 8 * 1024

interface Reading {
  files: Files
  /**
   * The time within which an upload must make progress, in milliseconds. An upload that makes progress may take as long
   * as it needs.
   */
  idleMs: number
  /** Called when the file begins, with the fields before it. */
  onFile?(fields: SentForm['fields']): void
}

/**
 * Reads a form with a file. Writes the file to a temporary path as it arrives, so that the whole file is never in
 * memory. The caller must delete the file. Throws `validation_failed` if the fields are too long, and
 * `malformed_request` if the body is not a form or stops arriving.
 */
export async function readFormBody(req: IncomingMessage, { files, idleMs, onFile }: Reading): Promise<SentForm> {
  const { 'content-type': type = '', ...headers } = req.headers
  if (!type.toLowerCase().startsWith('multipart/form-data'))
    throw problem('malformed_request', 'The body must be multipart/form-data.')
  const fields: Record<string, string> = Object.create(null)
  let size = 0
  let isTooLong = false
  let isFileTooLarge = false
  let arriving: Promise<SentForm['file']> = Promise.resolve(null)
  const uploads: Readable[] = []
  const form = createFormParser({ ...headers, 'content-type': type })
  const watch = watchProgress(idleMs)
  form.on('field', (name, value, _isNameCut, isCut) => {
    size += name.length + value.length
    if (isCut || size > MAX_FIELDS_BYTES) isTooLong = true
    else fields[name] = value.replaceAll('\0', '').replaceAll('\r\n', '\n').toWellFormed()
  })
  form.on('file', (_name, stream, fileName) => {
    // If the user chose no file, the form contains a file without a name and without bytes. The parser emits an error
    // for a truncated file; without a listener, this error would end the process.
    stream.on('error', (error) => stream.destroy(error))
    if (fileName === undefined || fileName === '') stream.resume()
    else {
      if (!isTooLong) onFile?.({ ...fields })
      if (Number(headers['content-length'] ?? 0) > MAX_READ_BYTES) {
        isFileTooLarge = true
        watch.stop()
        watch.end()
      }
      uploads.push(stream)
      stream.on('limit', () => {
        isFileTooLarge = true
      })
      arriving = files.receive(stream).then((file) => ({ ...file, fileName }))
      // The promise is awaited below. Without this handler, an earlier failure would be an unhandled rejection.
      arriving.catch(() => undefined)
    }
  })
  try {
    // The pipeline notices the abort signal only when more data arrives, which may never happen.
    const reading = pipeline(readInPieces(req, watch.noteBytes), form, { signal: watch.signal })
    reading.catch(() => undefined)
    await Promise.race([reading, watch.ended])
  } catch {
    // The rest of the file will never arrive.
    for (const upload of uploads) upload.destroy(new Error('The form ended before it was complete.'))
    await arriving.then((file) => file?.discard()).catch(() => undefined)
    if (isFileTooLarge && !isTooLong) return { fields, file: null, isFileTooLarge }
    throw problem('malformed_request', 'The body is not a valid form.')
  } finally {
    watch.stop()
  }
  const file = await arriving
  if (!isTooLong && !isFileTooLarge) return { fields, file, isFileTooLarge }
  await file?.discard()
  if (isTooLong) throw validationFailed([{ pointer: '/text', code: 'maxLength', message: 'must be shorter' }])
  return { fields, file: null, isFileTooLarge }
}

/** Aborts if too little data arrives within the time limit. */
function watchProgress(idleMs: number) {
  const ended = new AbortController()
  let arrived = 0
  let total = 0
  const check = () => {
    // If this process was paused for a long time, the timer is due even though more data has arrived. Read that data
    // first.
    setImmediate(() => {
      if (arrived < MIN_PROGRESS_BYTES) ended.abort()
      arrived = 0
    })
  }
  const timer = setInterval(check, idleMs)
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => undefined)
  ended.signal.addEventListener('abort', () => aborted.reject(ended.signal.reason))
  return {
    signal: ended.signal,
    ended: aborted.promise,
    noteBytes: (bytes: number) => {
      arrived += bytes
      total += bytes
      if (total > MAX_READ_BYTES) ended.abort()
    },
    end: () => ended.abort(),
    stop: () => clearInterval(timer),
  }
}

/**
 * Yields the body in small pieces. The parser waits forever if one piece contains the end of a file and more bytes of a
 * skipped part than it can buffer. Does not destroy the request, because an error response still needs the socket.
 */
async function* readInPieces(req: IncomingMessage, noteBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    noteBytes(chunk.length)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES)
  }
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
