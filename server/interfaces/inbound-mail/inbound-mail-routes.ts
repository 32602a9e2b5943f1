import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { Services } from '../../platform/calls/call.ts'
import { getClientAddress } from '../../platform/calls/client-address.ts'
import { getRequestId } from '../../platform/calls/request-id.ts'
import type { FailureLog } from '../../platform/problems/failure-log.ts'
import { Problem, problem, toProblem } from '../../platform/problems/problem.ts'
import { MAX_BODY_BYTES, parseInboundMail } from './inbound-mail.ts'
import { receiveMail } from './receive-mail.ts'

/**
 * The dependencies of the routes. docs/operating/inbound-mail.md documents the routes for operators, who give them to
 * their mail provider.
 */
interface InboundMailParts {
  services: Services
  log: Logger
  failures: FailureLog
}

const PATH = '/inbound-mail'

/**
 * The maximum number of emails that are read at the same time. Reading an email with large files uses more than 100 MB.
 */
const MAX_CONCURRENT = 2
const RETRY_SECONDS = 30

/** Returns the route to which a mail provider delivers the replies of vendors. */
export function createInboundMailRoutes(parts: InboundMailParts): Router {
  const { services, log } = parts
  const routes = express.Router()
  const { inboundMail } = services.config
  if (inboundMail === null) return routes
  let running = 0

  routes.post(PATH, async (req, res, next) => {
    try {
      await assertHasSecret(services, req, inboundMail.secret)
      if (running >= MAX_CONCURRENT)
        throw new Problem(
          'unavailable',
          `Too many emails are being received right now. Try again in ${RETRY_SECONDS} seconds.`,
          {},
          { 'Retry-After': String(RETRY_SECONDS) },
        )
      running++
      res.once('close', () => running--)
      next()
    } catch (error) {
      respondWithProblem(parts, req, res, error)
    }
  })
  routes.post(PATH, express.json({ limit: MAX_BODY_BYTES }), async (req, res) => {
    const [requestId, address] = [getRequestId(req), getClientAddress(req)]
    try {
      const outcome = await receiveMail(services, inboundMail, parseInboundMail(req.body), { requestId, address })
      log.info({ requestId, address, outcome }, 'received an email')
      const isIgnored = outcome.startsWith('ignored_')
      res.status(200).set({ 'X-Request-Id': requestId, 'Cache-Control': 'no-store' })
      res.json({ outcome: isIgnored ? 'ignored' : 'accepted' })
    } catch (error) {
      respondWithProblem(parts, req, res, error)
    }
  })
  routes.use(PATH, (error: unknown, req: Request, res: Response, _next: NextFunction) =>
    respondWithProblem(parts, req, res, toBodyProblem(error)),
  )
  return routes
}

/**
 * Throws `invalid_key` unless the request has the secret, as a bearer token or as the password of HTTP basic
 * authentication.
 */
async function assertHasSecret(services: Services, req: Request, secret: string): Promise<void> {
  if (timingSafeEqual(digestText(readSecret(req.headers) ?? ''), digestText(secret))) return
  await services.limits.takeVisit(getClientAddress(req))
  throw new Problem(
    'invalid_key',
    'The secret is missing or wrong. Send INBOUND_MAIL_SECRET as a bearer token or as the password.',
    {},
    { 'WWW-Authenticate': 'Bearer' },
  )
}

function readSecret({ authorization = '' }: IncomingHttpHeaders): string | null {
  const [, scheme = '', value = ''] = /^(Bearer|Basic)\s+(\S+)$/i.exec(authorization) ?? []
  if (scheme.toLowerCase() === 'bearer') return value
  const [, password = null] = /^[^:]*:(.*)$/s.exec(Buffer.from(value, 'base64').toString()) ?? []
  return scheme === '' ? null : password
}

function digestText(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Returns the problem for a body that could not be read. */
function toBodyProblem(error: unknown): unknown {
  const { status, type } = error as { status?: number; type?: string }
  if (status === 413) return problem('payload_too_large', `An email must have at most ${MAX_BODY_BYTES} bytes.`)
  if (status === 415) return problem('unsupported_media_type', 'Send "Content-Type: application/json" in UTF-8.')
  if (status === 400 || type !== undefined) return problem('malformed_json', 'The body is not valid JSON.')
  return error
}

function respondWithProblem(
  { services, failures }: InboundMailParts,
  req: Request,
  res: Response,
  error: unknown,
): void {
  const refused = toProblem(error)
  const requestId = getRequestId(req)
  if (refused.status >= 500) failures.report(error, { requestId }, refused.code)
  const { publicUrl } = services.config
  // Closes the connection, because the rest of a rejected body is not read.
  if (!req.complete) res.set('Connection', 'close')
  res.status(refused.status).set({ ...refused.headers, 'X-Request-Id': requestId, 'Cache-Control': 'no-store' })
  res.type('application/problem+json').send(JSON.stringify(refused.body({ publicUrl, instance: PATH, requestId })))
}
