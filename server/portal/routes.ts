import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { PortalBidInvitation } from '../../client/contract.gen.ts'
import { type Call, newCall, type Principal, type Surroundings } from '../http/call.ts'
import { clientAddress } from '../http/client-address.ts'
import { type Problem, toProblem } from '../http/problem.ts'
import { requestIdOf } from '../http/request-id.ts'
import { vendorBehind } from '../keys/portal-authenticator.ts'
import { messagePage, requestPage, vendorPage } from './page.ts'

/**
 * The pages behind the addresses that are sent to vendors. Whoever has an address acts as the vendor, and a page only
 * calls, as that vendor, the operations that the contract opens to vendors.
 */
interface Parts {
  surroundings: Surroundings
  log: Logger
}

interface Page {
  status: number
  html: string
}

/** What is known about a page request; it is logged at the end, as for every other request. */
interface Visit {
  requestId: string
  address: string
  principal: Principal | null
}

// With "We decline" the vendor can send a line of text; nothing larger is accepted.
const MOST_BYTES = 16 * 1024
const MOST_REASON = 1000
const MOST_LISTED = 100

// The second is the page of one invitation under the address of the vendor's whole portal.
const PATHS = ['/portal/:token', '/portal/:token/:invitationId']

export function portalRoutes(parts: Parts): Router {
  const routes = express.Router()
  routes.use('/portal', (req, res, next) => {
    const visit: Visit = { requestId: requestIdOf(req), address: clientAddress(req), principal: null }
    res.locals.visit = visit
    logAtEnd(parts, req, res, visit)
    next()
  })
  routes.get(PATHS, (req, res) =>
    answer(parts, req, res, (call, invitationId) => show(call, invitationId, `/portal/${req.params.token}`)),
  )
  routes.post(PATHS, express.urlencoded({ extended: false, limit: MOST_BYTES }), (req, res) =>
    answer(parts, req, res, (call, invitationId) =>
      take(call, invitationId, (req.body ?? {}) as Record<string, unknown>),
    ),
  )
  routes.use('/portal', (error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    // An address that cannot be decoded does not exist; any other error is a form that is too long or not a form at
    // all.
    if (error instanceof URIError) write(res, NOT_FOUND)
    else
      write(res, {
        status: (error as { status?: number }).status ?? 400,
        html: messagePage('That did not work', 'Please use the buttons of the page.'),
      })
  })
  return routes
}

// The path is never logged, because the token in it is a secret.
function logAtEnd({ log }: Parts, req: Request, res: Response, visit: Visit): void {
  const started = performance.now()
  const operationId = req.method === 'POST' ? 'answerPortalInvitation' : 'openPortal'
  res.once('finish', () => {
    const { requestId, address, principal } = visit
    const ms = Math.round((performance.now() - started) * 100) / 100
    const by = { callerId: principal?.id, subjectId: principal?.subjectId ?? undefined }
    log.info({ requestId, address, operationId, ...by, method: req.method, status: res.statusCode, ms }, 'request')
  })
}

/** Authenticates the token and sends the page that `make` returns; null redirects to the page, to show it afresh. */
async function answer(
  parts: Parts,
  req: Request,
  res: Response,
  make: (call: Call, invitationId: string | null) => Promise<Page | null>,
): Promise<void> {
  const visit = res.locals.visit as Visit
  const { surroundings } = parts
  try {
    await surroundings.limits.takeVisit(visit.address)
    const { token, invitationId } = req.params
    const principal = await vendorBehind(surroundings, String(token))
    visit.principal = principal
    await surroundings.limits.take(principal)
    const { requestId, address } = visit
    const call = newCall(surroundings, { principal, requestId, address })
    const page = await make(call, invitationId === undefined ? invitationBehind(principal) : String(invitationId))
    if (page === null) res.set(HEADERS).redirect(303, req.originalUrl)
    else write(res, page)
  } catch (error) {
    write(res, refusal(parts, res, error))
  }
}

function refusal({ log }: Parts, res: Response, error: unknown): Page {
  const refused = toProblem(error)
  const { requestId } = res.locals.visit as Visit
  if (refused.status >= 500) log.error({ err: error, requestId }, refused.code)
  const retryAfter = refused.headers['Retry-After']
  if (retryAfter !== undefined) res.set('Retry-After', retryAfter)
  const said = SAID[refused.code]
  if (said === undefined && refused.status === 409)
    return { status: 409, html: messagePage('Too late', refused.message) }
  return said ?? { status: refused.status, html: messagePage('That did not work', 'Please try again in a moment.') }
}

const NOT_FOUND: Page = {
  status: 404,
  html: messagePage('Not found', 'This address leads nowhere. Please use the one that you were sent, in full.'),
}
const WRONG_FORM: Page = {
  status: 422,
  html: messagePage('That did not work', 'Please use the buttons of the page.'),
}

/** The problem codes put into words for people. */
const SAID: { readonly [Code in Problem['code']]?: Page } = {
  invalid_key: NOT_FOUND,
  not_found: NOT_FOUND,
  unknown_reference: NOT_FOUND,
  validation_failed: WRONG_FORM,
  expired_token: {
    status: 410,
    html: messagePage(
      'This address has expired',
      'It was valid for some time only. Please ask the builder to send you a new one.',
    ),
  },
  revoked_token: {
    status: 410,
    html: messagePage(
      'This address is no longer in use',
      'Please open the address that the builder sent you last, or ask the builder for a new one.',
    ),
  },
  rate_limited: {
    status: 429,
    html: messagePage('One moment, please', 'This page was opened very often just now. Please try again in a minute.'),
  },
  too_many_answers: {
    status: 429,
    html: messagePage(
      'Your last answer holds',
      'You have changed your answer several times within an hour. To change it once more, please come back later or call the builder.',
    ),
  },
}

// The address is a secret: it must not leak through a Referer header, nor the page stay in a shared cache.
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

function write(res: Response, { status, html }: Page): void {
  const { requestId } = res.locals.visit as Visit
  res.status(status).set(HEADERS).set('X-Request-Id', requestId).type('html').send(html)
}

async function show(call: Call, invitationId: string | null, path: string): Promise<Page> {
  if (invitationId === null) return showVendor(call, path)
  await call.operation('openPortal', { invitationId })
  const invitation: PortalBidInvitation = await call.operation('getPortalInvitation', { invitationId })
  return { status: 200, html: requestPage(invitation) }
}

async function showVendor(call: Call, path: string): Promise<Page> {
  const { builder, vendor } = await call.operation('openPortal', {})
  const { data } = await call.operation('listPortalInvitations', { limit: MOST_LISTED })
  return { status: 200, html: vendorPage({ builder, vendor, invitations: data, path }) }
}

async function take(call: Call, invitationId: string | null, form: Record<string, unknown>): Promise<Page | null> {
  if (invitationId === null) return NOT_FOUND
  const reason = typeof form.reason === 'string' ? form.reason.replaceAll('\0', '').trim().slice(0, MOST_REASON) : ''
  await call.operation('answerPortalInvitation', {
    invitationId,
    answer: form.answer,
    ...(reason !== '' && { reason }),
  })
  return null
}

/** The invitation that the address was made for; null for an address of the vendor's whole portal. */
function invitationBehind({ id, subjectId }: Principal): string | null {
  return subjectId === id ? null : subjectId
}
