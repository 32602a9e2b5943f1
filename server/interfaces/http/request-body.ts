import type { IncomingMessage } from 'node:http'
import type { FieldError } from '../../../client/contract.gen.ts'
import type { Operation } from '../../platform/calls/contract.ts'
import { fileTooLarge, isBinaryType, Upload } from '../../platform/calls/upload.ts'
import { MAX_POINTER_LENGTH, problem, validationFailed } from '../../platform/problems/problem.ts'

// The maximum size of a request body in bytes, unless the contract declares `x-max-body-bytes` for operations that
// replace a whole document. Such a document may also have more items.
const MAX_BODY_BYTES = 1024 * 1024
const MAX_DEPTH = 32

/**
 * Reads the JSON body of a request: valid UTF-8, at most 1 MiB or what its operation allows, at most 32 levels deep. An
 * operation without a body accepts no body or an empty object. The body of an upload is left unread.
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
    // Omitting an optional body is the same as sending one without fields.
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
  if (Number(length ?? 0) > mostBytes) throw fileTooLarge(mostBytes)
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

// JSON allows no charset other than UTF-8.
function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true
  return type !== undefined && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)
}

// Whether the type is the one that RFC 7396 defines for the way every PATCH works here.
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
        fail(fileTooLarge(mostBytes))
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
    // A caller that hangs up is not our error, so the socket's error is not passed on.
    const hungUp = () => fail(problem('malformed_json', 'The request body ended before it was complete.'))
    // A caller that has already hung up emits no further event.
    if (req.destroyed) hungUp()
    req.on('error', hungUp)
    req.on('close', () => {
      if (!req.readableEnded) hungUp()
    })
  })
}

/** Whether part of a request's body is still unread. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  return (
    !req.complete && (req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0)
  )
}

/**
 * Reads and drops the rest of a request, and calls back at its end. A client that is cut off while writing sees a
 * broken connection instead of the response. So the response is written at once, but ended only after the rest was
 * read.
 */
export function discardRest(req: IncomingMessage, done: () => void): void {
  let dropped = 0
  const cutOff = () => req.destroy()
  // After a long pause of this process, the timer is due although more data has arrived. Read that data first.
  const cutOffIfIdle = () => {
    const before = dropped
    setImmediate(() => {
      if (dropped === before) cutOff()
    })
  }
  let idle = setTimeout(cutOffIfIdle, MAX_IDLE_MS)
  req.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > MAX_DISCARDED_BYTES) cutOff()
    clearTimeout(idle)
    idle = setTimeout(cutOffIfIdle, MAX_IDLE_MS)
  })
  // A request that was partly read may be paused.
  req.resume()
  req.once('close', () => {
    clearTimeout(idle)
    done()
  })
}

// More than the largest body of any operation, so that a client that sends slightly too much receives the problem. A
// sender that has stopped has read the response, and one that continues runs out of the time that every request has.
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
  // These errors are rare or need a long text, so testing the text first avoids walking most values.
  if (text.length > DEFAULT_BOUNDS.items * 2 || UNSTORABLE.test(text)) {
    const errors = findUnacceptableValues(value, max.items)
    if (errors.length > 0) throw validationFailed(errors)
  }
  return value
}

// Bounds on a body; no array or object in the contract is larger. For a longer array the validator would compare every
// pair before it counts the items, and for a larger object it would list every unknown field. It reports every unknown
// field twice, so the number of all values is bounded too.
interface JsonBounds {
  /** Maximum number of items in one array. */
  items: number
  /** The maximum number of values in a body, counting fields and array items at all levels. */
  values: number
}
const DEFAULT_BOUNDS: JsonBounds = { items: 1000, values: 20_000 }
const DOCUMENT_BOUNDS: JsonBounds = { items: 5000, values: 60_000 }
const MAX_FIELDS = 1000
const MAX_FAULTS = 1000
// U+0000, which PostgreSQL cannot store; unpaired surrogates, which are not characters and would all be stored as the
// same replacement; and the byte order mark, which the embedded database drops at the start of a text. Surrogates can
// only arrive as escapes, because the bytes were decoded from UTF-8.
const UNSTORABLE = /\\u0000|\\ud[89a-f]|\ufeff|\\ufeff/i

/** Returns the first errors of a value that no schema would report, or only after a long time. */
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
      const refusal = describeUnstorable(inner)
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
    const refusal = describeUnstorable(name)
    if (refusal !== null) fault('format', refusal)
    visit(member)
    path.pop()
  }
  visit(value)
  return errors
}

/** Returns why no column can store a text; null if a column can. */
export function describeUnstorable(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character U+0000'
  return text.isWellFormed() ? null : 'must not contain unpaired surrogates (U+D800 to U+DFFF)'
}

// Counted before parsing, so that a body full of brackets costs only one pass over its bytes.
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
