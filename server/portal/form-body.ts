import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import type { Files } from '../files/files.ts'
import { problem } from '../http/problem.ts'
import type { Arrived } from '../http/upload.ts'

/** What a page's form has sent: its fields, and the file that was chosen, if one was. */
export interface Sent {
  readonly fields: Readonly<Record<string, string>>
  readonly file: (Arrived & { readonly fileName: string }) | null
}

/** A photograph of a certificate or a scanned quote is smaller; the contract's own upload takes more. */
const MOST_FILE_BYTES = 10 * 1024 * 1024
/** Three fields for each of the 200 lines that a request can have, and those that every bid has. */
const MOST_FIELDS = 700
/** The longest text that a field takes, in bytes. */
const MOST_FIELD_BYTES = 20_000
/** All of the fields together, which a bid of 200 lines with long notes stays below. */
const MOST_FIELDS_BYTES = 1024 * 1024

/**
 * Reads a form with a file in it. The file goes to a temporary place as it arrives, and is never in memory as a whole;
 * whoever calls this discards it. Throws `payload_too_large`, and `validation_failed` for what is no form.
 */
export async function readForm(req: IncomingMessage, files: Files): Promise<Sent> {
  const { 'content-type': type = '', ...headers } = req.headers
  if (!type.toLowerCase().startsWith('multipart/form-data')) throw problem('malformed_request', 'It is not a form.')
  const fields: Record<string, string> = Object.create(null)
  let size = 0
  let isTooLarge = Number(headers['content-length'] ?? 0) > MOST_FILE_BYTES + MOST_FIELDS_BYTES
  if (isTooLarge) throw tooLarge()
  let arriving: Promise<Sent['file']> = Promise.resolve(null)
  const form = parserOf({ ...headers, 'content-type': type })
  form.on('field', (name, value, _isNameCut, isCut) => {
    size += name.length + value.length
    if (isCut || size > MOST_FIELDS_BYTES) isTooLarge = true
    else fields[name] = value.replaceAll('\0', '').replaceAll('\r\n', '\n').toWellFormed()
  })
  form.on('file', (_name, stream, fileName) => {
    // A form without a chosen file sends one without a name and without bytes.
    if (fileName === undefined || fileName === '') stream.resume()
    else {
      stream.on('limit', () => {
        isTooLarge = true
      })
      arriving = files.receive(stream).then((file) => ({ ...file, fileName }))
      // It is awaited below; until then its failure is not unhandled.
      arriving.catch(() => undefined)
    }
  })
  try {
    await pipeline(req, form)
  } catch (error) {
    await arriving.then((file) => file?.discard()).catch(() => undefined)
    throw error instanceof Error && error.name === 'AbortError' ? error : problem('malformed_request', 'It is no form.')
  }
  const file = await arriving
  if (!isTooLarge) return { fields, file }
  await file?.discard()
  throw tooLarge()
}

function parserOf(headers: IncomingHttpHeaders & { 'content-type': string }) {
  const parts = { fields: MOST_FIELDS, files: 1, parts: MOST_FIELDS + 1 }
  try {
    return new Busboy({ headers, limits: { ...parts, fieldSize: MOST_FIELD_BYTES, fileSize: MOST_FILE_BYTES } })
  } catch {
    throw problem('malformed_request', 'It does not say where its parts end.')
  }
}

function tooLarge() {
  return problem('payload_too_large', `A file may have ${MOST_FILE_BYTES} bytes.`)
}
