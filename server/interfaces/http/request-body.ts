import type { IncomingMessage } from 'node:http'
import type { FieldError } from '../../../client/contract.gen.ts'
import type { Operation } from '../../platform/calls/contract.ts'
import { createFileSizeProblem, isBinaryType, Upload } from '../../platform/calls/upload.ts'
import { MAX_POINTER_LENGTH, problem, validationFailed } from '../../platform/problems/problem.ts'

// The maximum size of a request body in bytes. For operations that replace a whole document, the contract may declare
// another size with `x-max-body-bytes`. Such a document may also contain more items.
const MAX_BODY_BYTES = 1024 * 1024
const MAX_DEPTH = 32

/**
 * Reads the JSON body of a request, which must be valid UTF-8, at most 32 levels deep, and at most 1 MiB long unless
 * the operation allows more. For an operation without a body, the client may send nothing or an empty object. Does not
 * read the body of an upload.
 */
export async function readBody(req: IncomingMessage, operation: Operation): Promise<unknown> {
  const {
    'content-type': type,
    'content-length': length,
    'content-encoding': encoding,
    'transfer-encoding': chunked,
  } = req.headers
  const isSent = chunked !== undefined || (length !== undefined && length !== '0')
  if (!operation.takesBody && (!isSent || operation.method === 'GET' || operation.method === 'DELETE')) return undefined
  if (!isSent) {
    // Omitting an optional body is the same as sending a body without fields.
    if (operation.declaration.requestBody?.required === false) return {}
    throw validationFailed([{ pointer: '', code: 'required', message: 'must be a JSON body' }])
  }
  if (operation.mostUploadBytes !== null && isBinaryType(type)) {
    assertNotEncoded(encoding)
    return new Upload(req, operation.mostUploadBytes)
  }
  if (!isJson(type) && !(operation.method === 'PATCH' && isMergePatch(type)))
    throw problem('unsupported_media_type', expectedType(operation))
  assertNotEncoded(encoding)
  const mostBytes = operation.mostBodyBytes ?? MAX_BODY_BYTES
  if (Number(length ?? 0) > mostBytes) throw createFileSizeProblem(mostBytes)
  const body = parseJson(
    await readText(req, mostBytes),
    operation.mostBodyBytes === null ? DEFAULT_BOUNDS : DOCUMENT_BOUNDS,
  )
  if (operation.takesBody) return body
  if (typeof body === 'object' && body !== null && Object.keys(body).length === 0) return undefined
  throw validationFailed([
    { pointer: '', code: 'unknown', message: 'must be empty; this operation has no request body' },
  ])
}

function expectedType({ mostUploadBytes }: Operation): string {
  const json = 'Send "Content-Type: application/json"'
  return mostUploadBytes === null ? `${json}.` : `${json}, or the file itself as "application/octet-stream".`
}

function assertNotEncoded(encoding: string | undefined): void {
  if (encoding !== undefined && encoding !== 'identity')
    throw problem('unsupported_media_type', 'Compressed request bodies are not supported. Send the body uncompressed.')
}

// Returns whether the media type is JSON. The only charset that JSON allows is UTF-8.
function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true
  return type !== undefined && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)
}

// Returns whether the media type is that of a merge patch. RFC 7396 defines how every PATCH of this service works.
function isMergePatch(type: string | undefined): boolean {
  return type !== undefined && /^application\/merge-patch\+json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)
}

function readText(req: IncomingMessage, mostBytes: number): Promise<string> {
  return new Promise((done, fail) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > mostBytes) {
        req.removeAllListeners('data')
        fail(createFileSizeProblem(mostBytes))
      } else chunks.push(chunk)
    })
    req.on('end', () => {
      const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
      try {
        done(utf8.decode(bytes))
      } catch {
        fail(problem('malformed_json', 'The request body is not valid UTF-8.'))
      }
    })
    // Reports the socket's error as a client error, because a client that disconnects is not a failure of the service.
    const hungUp = () => fail(problem('malformed_json', 'The request body ended before it was complete.'))
    // If the client has already disconnected, the request emits no more events.
    if (req.destroyed) hungUp()
    req.on('error', hungUp)
    req.on('close', () => {
      if (!req.readableEnded) hungUp()
    })
  })
}

/** Returns whether part of a request's body is still unread. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  return (
    !req.complete && (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0)
  )
}

/**
 * Reads and discards the rest of a request, and then calls `done`. If the connection were closed while the client is
 * still sending, the client would see a broken connection instead of the response. The response is therefore written
 * immediately, but ended only after the rest has been read.
 */
export function discardRemainingBody(req: IncomingMessage, done: () => void, mostBytes = MAX_DISCARDED_BYTES): void {
  let dropped = 0
  const cutOff = () => req.destroy()
  // If this process was paused for a long time, the timer is due even though more data has arrived. Read that data
  // first.
  const cutOffIfIdle = () => {
    const before = dropped
    setImmediate(() => {
      if (dropped === before) cutOff()
    })
  }
  let idle = setTimeout(cutOffIfIdle, MAX_IDLE_MS)
  req.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > mostBytes) cutOff()
    clearTimeout(idle)
    idle = setTimeout(cutOffIfIdle, MAX_IDLE_MS)
  })
  // A request that was read in part may be paused.
  req.resume()
  req.once('close', () => {
    clearTimeout(idle)
    done()
  })
}

// The maximum number of bytes to discard. It is more than the largest body of any operation, so that a client that
// sends slightly too much gets the problem. A client that stops sending has read the response. A client that continues
// to send is stopped by the time limit for requests.
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024
const MAX_IDLE_MS = 1000

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function parseJson(text: string, max: JsonBounds = DEFAULT_BOUNDS): unknown {
  const { depth, values } = measureJson(text)
  if (depth > MAX_DEPTH)
    throw problem('malformed_json', `The request body is nested more than ${MAX_DEPTH} levels deep.`)
  if (values > max.values)
    throw validationFailed([
      { pointer: '', code: 'maxItems', message: `must have at most ${max.values} values in total` },
    ])
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw problem('malformed_json', `The request body is not valid JSON (${(error as Error).message}).`)
  }
  // Tests the text first, to avoid checking every value: these errors occur only in long texts or if the text contains
  // certain characters.
  if (text.length > DEFAULT_BOUNDS.items * 2 || UNSTORABLE.test(text)) {
    const errors = findUnacceptableValues(value, max.items)
    if (errors.length > 0) throw validationFailed(errors)
  }
  return value
}

// Limits for a body. No array or object in the contract is larger. These limits save time. For a longer array, the
// validator would compare every pair of items before it counts them. For a larger object, it would report every unknown
// field twice. The total number of values is limited for the same reason.
interface JsonBounds {
  /** The maximum number of items in an array. */
  items: number
  /** The maximum number of values in a body, counting fields and array items at all levels. */
  values: number
}
const DEFAULT_BOUNDS: JsonBounds = { items: 1000, values: 20_000 }
const DOCUMENT_BOUNDS: JsonBounds = { items: 5000, values: 60_000 }
const MAX_FIELDS = 1000
const MAX_FAULTS = 1000
// Characters that cannot be stored correctly. PostgreSQL rejects U+0000. Unpaired surrogates would all become the same
// replacement character. The embedded database removes a byte order mark at the start of a text. Surrogates can occur
// only as escapes, because the text has been decoded from UTF-8.
const UNSTORABLE = /\\u0000|\\ud[89a-f]|\ufeff|\\ufeff/i

/** Returns the errors that no schema reports or that schemas would take too long to report. */
function findUnacceptableValues(value: unknown, mostItems: number): FieldError[] {
  const errors: FieldError[] = []
  const path: string[] = []
  const fault = (code: string, message: string) => {
    const pointer = path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    errors.push({
      pointer: pointer.slice(0, MAX_POINTER_LENGTH).replaceAll('\0', '\ufffd').toWellFormed(),
      code,
      message,
    })
  }
  const visit = (inner: unknown): void => {
    if (errors.length >= MAX_FAULTS) return
    if (typeof inner === 'string') {
      const refusal = explainUnstorableText(inner)
      if (refusal !== null) fault('format', refusal)
      if (inner.startsWith('\ufeff')) fault('format', 'must not begin with a byte order mark (U+FEFF)')
    } else if (Array.isArray(inner)) {
      if (inner.length > mostItems) fault('maxItems', `must have at most ${mostItems} items`)
      else for (const [i, item] of inner.entries()) visitMember(String(i), item)
    } else if (typeof inner === 'object' && inner !== null) {
      const members = Object.entries(inner)
      if (members.length > MAX_FIELDS) fault('maxProperties', `must have at most ${MAX_FIELDS} fields`)
      else for (const [name, member] of members) visitMember(name, member)
    }
  }
  const visitMember = (name: string, member: unknown): void => {
    path.push(name)
    const refusal = explainUnstorableText(name)
    if (refusal !== null) fault('format', refusal)
    visit(member)
    path.pop()
  }
  visit(value)
  return errors
}

/** Returns an error message if the text cannot be stored in a column; otherwise null. */
export function explainUnstorableText(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character U+0000'
  return text.isWellFormed() ? null : 'must not contain unpaired surrogates (U+D800 to U+DFFF)'
}

// Counts levels and values before parsing, so that a body full of brackets is rejected after a single pass over its
// bytes.
function measureJson(text: string): { depth: number; values: number } {
  let now = 0
  let max = 0
  let values = 1
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (quoted) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) quoted = false
    } else if (code === QUOTE) quoted = true
    else if (code === COMMA) values++
    else if (code === BRACE || code === BRACKET) {
      values++
      if (++now > max) max = now
    } else if (code === BRACE_END || code === BRACKET_END) now--
  }
  return { depth: max, values }
}
const [QUOTE, BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END, COMMA] = [34, 92, 123, 125, 91, 93, 44]
