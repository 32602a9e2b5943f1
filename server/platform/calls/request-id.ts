import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Returns the request ID: the caller's if it is safe to log, or else a new one. */
export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : newRequestId()
}

// Random, so that an ID does not reveal how many there were. Generated in batches, because each call for random bytes
// costs twenty times as much as creating an ID from them.
const ID_LENGTH = 26
const IDS_AT_ONCE = 512
let random = ''
let used = 0

export function newRequestId(): string {
  if (used === random.length) {
    random = randomBytes((ID_LENGTH * IDS_AT_ONCE) / 2).toString('hex')
    used = 0
  }
  used += ID_LENGTH
  return `req_${random.slice(used - ID_LENGTH, used)}`
}
