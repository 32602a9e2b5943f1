import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { PortalBidInvitation } from '../../client/contract.gen.ts'
import type { Database } from '../database/database.ts'
import { type Call, newCall, type Principal, type Surroundings } from '../http/call.ts'
import { clientAddress } from '../http/client-address.ts'
import { toProblem } from '../http/problem.ts'
import { vendorBehind } from '../keys/portal-authenticator.ts'
import { portalToken } from '../keys/portal-token.ts'
import { messagePage, requestPage, vendorPage } from './page.ts'

/**
 * The pages behind the addresses that vendors are sent. Whoever has an address is the vendor, and a page does nothing but
 * call the operations that the contract opens to a vendor, as that vendor.
 */
interface Parts {
  surroundings: Surroundings
  database: Database
  log: Logger
}

interface Page {
  status: number
  html: string
}

// On the vendor's own page "We decline" takes a line of text; nothing larger is read.
const MOST_BYTES = 16 * 1024
const MOST_REASON = 1000
const MOST_LISTED = 100

export function portalRoutes(parts: Parts): Router {
  const routes = express.Router()
  routes.get('/portal/:token', (req, res) => answer(parts, req, res, (call) => show(call)))
  routes.post('/portal/:token', express.urlencoded({ extended: false, limit: MOST_BYTES }), (req, res) =>
    answer(parts, req, res, (call) => take(call, (req.body ?? {}) as Record<string, unknown>)),
  )
  routes.use('/portal', (error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    // An address that cannot be decoded is none; else the form could not be read: too long, or not a form at all.
    if (error instanceof URIError) write(res, notFound())
    else
      write(res, {
        status: (error as { status?: number }).status ?? 400,
        html: messagePage('That did not work', 'Please use the buttons of the page.'),
      })
  })
  return routes
}

/** Opens the token and writes out what `make` makes of it: a page, or null to show the page anew. */
async function answer(
  parts: Parts,
  req: Request,
  res: Response,
  make: (call: Call) => Promise<Page | null>,
): Promise<void> {
  try {
    const { surroundings, database } = parts
    const { config } = surroundings
    const principal = await vendorBehind({ config, database }, String(req.params.token))
    const page =
      principal === null
        ? notFound()
        : await make(newCall(surroundings, { principal, requestId: 'portal', address: clientAddress(req) }))
    if (page === null) res.set(HEADERS).redirect(303, req.originalUrl)
    else write(res, page)
  } catch (error) {
    write(res, refusal(parts, res, error))
  }
}

function refusal({ log }: Parts, res: Response, error: unknown): Page {
  const { status, code, message } = toProblem(error)
  if (status >= 500) log.error({ err: error }, code)
  if (status === 503) res.set('Retry-After', '2')
  if (status === 404) return notFound()
  if (status === 409) return { status, html: messagePage('Too late', message) }
  if (status === 422) return { status, html: messagePage('That did not work', 'Please use the buttons of the page.') }
  return { status, html: messagePage('That did not work', 'Please try again in a moment.') }
}

// The address is a secret: it must not travel on in a Referer, nor the page stay in a shared cache.
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

function write(res: Response, { status, html }: Page): void {
  res.status(status).set(HEADERS).type('html').send(html)
}

function notFound(): Page {
  return {
    status: 404,
    html: messagePage('Not found', 'This address leads nowhere. Please use the one that you were sent, in full.'),
  }
}

async function show(call: Call): Promise<Page> {
  const invitationId = invitationBehind(call.principal)
  if (invitationId === null) return showVendor(call)
  await call.operation('openPortal', { invitationId })
  const invitation: PortalBidInvitation = await call.operation('getPortalInvitation', { invitationId })
  return { status: 200, html: requestPage(invitation) }
}

async function showVendor(call: Call): Promise<Page> {
  const { builder, vendor } = await call.operation('openPortal', {})
  const { data } = await call.operation('listPortalInvitations', { limit: MOST_LISTED })
  const { config } = call.surroundings
  const invitations = data.map((each) => ({ ...each, href: `/portal/${portalToken(config, each.id)}` }))
  return { status: 200, html: vendorPage({ builder, vendor, invitations }) }
}

async function take(call: Call, form: Record<string, unknown>): Promise<Page | null> {
  const invitationId = invitationBehind(call.principal)
  if (invitationId === null) return notFound()
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
