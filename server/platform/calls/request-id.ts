import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Returns the request ID: the caller's if it is safe to log, or else a new one. */
export function getRequestId(req: IncomingMessage): string {
  const provided = req.headers['x-request-id']
  return typeof provided === 'string' && /^[\w.:-]{1,128}$/.test(provided) ? provided : newRequestId()
}

// Random, so that an ID does not reveal how many there were. Generated in batches, because each call for random bytes
// costs twenty times as much as creating an ID from them.
const ID_LENGTH = 26
const IDS_AT_ONCE = 512
let randomBytesPool = ''
let usedBytes = 0

export function newRequestId(): string {
  if (usedBytes === randomBytesPool.length) {
    randomBytesPool = randomBytes((ID_LENGTH * IDS_AT_ONCE) / 2).toString('hex')
    usedBytes = 0
  }
  usedBytes += ID_LENGTH
  return `req_${randomBytesPool.slice(usedBytes - ID_LENGTH, usedBytes)}`
}
