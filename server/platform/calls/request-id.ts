import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Returns the client's request ID if it is safe to log. Otherwise, returns a new ID. */
export function getRequestId(req: IncomingMessage): string {
  const provided = req.headers['x-request-id']
  return typeof provided === 'string' && /^[\w.:-]{1,128}$/.test(provided) ? provided : createRequestId()
}

// The ID is random, so that it does not reveal how many requests there are. Random bytes are created in batches,
// because creating them takes twenty times as long as converting them to an ID.
const ID_LENGTH = 26
const IDS_AT_ONCE = 512
let randomBytesPool = ''
let usedBytes = 0

export function createRequestId(): string {
  if (usedBytes === randomBytesPool.length) {
    randomBytesPool = randomBytes((ID_LENGTH * IDS_AT_ONCE) / 2).toString('hex')
    usedBytes = 0
  }
  usedBytes += ID_LENGTH
  return `req_${randomBytesPool.slice(usedBytes - ID_LENGTH, usedBytes)}`
}
