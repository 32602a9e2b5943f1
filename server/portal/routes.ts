import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { Invitation, Vendor } from '../../client/contract.gen.ts'
import { OPEN_INVITATION } from '../bidding/bid-requests/bid-request.ts'
import { answerInvitation, lockBidRequest, recordChange } from '../bidding/bid-requests/changes.ts'
import * as invitations from '../bidding/bid-requests/invitation-queries.ts'
import * as requests from '../bidding/bid-requests/queries.ts'
import * as vendors from '../bidding/vendors/queries.ts'
import type { Database } from '../database/database.ts'
import { recordEvent } from '../events/record.ts'
import { type Call, newCall, type Surroundings, type WriteCall } from '../http/call.ts'
import { toProblem } from '../http/problem.ts'
import { openPortalToken, portalToken } from '../keys/portal-token.ts'
import { organizationOf, vendorOf } from '../keys/principals.ts'
import { messagePage, requestPage, vendorPage } from './page.ts'
import * as portal from './queries.ts'

/**
 * The pages behind the addresses that vendors are sent. Whoever has an address is the vendor: it can be neither guessed
 * nor derived from another one. Looking at a page for the first time tells the builder that the vendor was there.
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
  routes.get('/portal/:token', (req, res) => answer(parts, req, res, (subjectId) => show(parts, subjectId)))
  routes.post('/portal/:token', express.urlencoded({ extended: false, limit: MOST_BYTES }), (req, res) =>
    answer(parts, req, res, (subjectId) => take(parts, subjectId, (req.body ?? {}) as Record<string, unknown>)),
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
  make: (subjectId: string) => Promise<Page | null>,
): Promise<void> {
  const token = String(req.params.token)
  try {
    const subjectId = openPortalToken(parts.surroundings.config, token)
    const page = subjectId === null ? notFound() : await make(subjectId)
    if (page === null) res.set(HEADERS).redirect(303, req.originalUrl)
    else write(res, page)
  } catch (error) {
    const { status, code } = toProblem(error)
    if (status >= 500) parts.log.error({ err: error }, code)
    if (status === 503) res.set('Retry-After', '2')
    write(res, {
      status,
      html: messagePage('That did not work', status < 500 ? toProblem(error).message : 'Please try again in a moment.'),
    })
  }
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

async function show(parts: Parts, subjectId: string): Promise<Page> {
  const db = parts.database.statements
  const invited = await portal.invitationBehind(db, subjectId)
  if (invited === undefined) return showVendor(parts, subjectId)
  const call = await callOf(parts, invited)
  const { request, vendor } = await call.write(async (call) => {
    const request = await markViewed(call, invited.bidRequestId)
    return { request, vendor: await markJoined(call, invited.vendorId) }
  })
  const shown = requests.toBidRequest(call, request)
  const invitation = shown.invitations.find((candidate) => candidate.id === subjectId)
  if (invitation === undefined) return notFound()
  const html = requestPage({
    builder: call.principal.organization.name,
    companyName: vendor.companyName,
    request: shown,
    invitation,
    site: await portal.siteOf(db, invited.organizationId, shown.communityId),
    houses: await portal.housesOf(db, invited.organizationId, shown.homeIds),
    canAnswer: canAnswer(request, invitation),
  })
  return { status: 200, html }

  async function markViewed(call: WriteCall, bidRequestId: string): Promise<requests.BidRequestRow> {
    const before = await lockBidRequest(call, bidRequestId)
    const invitation = before.invitations.find((candidate) => candidate.id === subjectId)
    if (invitation === undefined || invitation.viewedAt !== null) return before
    const viewedAt = call.now.toISOString()
    await invitations.update(call, invitation, {
      viewedAt,
      ...(invitation.status === 'sent' && { status: 'viewed' as const }),
    })
    const after = await requests.touch(call, bidRequestId)
    await recordChange(call, before, after)
    return after
  }
}

async function showVendor(parts: Parts, vendorId: string): Promise<Page> {
  const { surroundings, database } = parts
  const subject = await portal.vendorBehind(database.statements, vendorId)
  if (subject === undefined) return notFound()
  const call = await callOf(parts, subject)
  const vendor = await call.write((call) => markJoined(call, vendorId))
  const listed = await portal.invitationsOfVendor(database.statements, subject, MOST_LISTED)
  const html = vendorPage({
    builder: call.principal.organization.name,
    companyName: vendor.companyName,
    invitations: listed.map((invitation) => ({
      ...invitation,
      href: `/portal/${portalToken(surroundings.config, invitation.id)}`,
    })),
  })
  return { status: 200, html }
}

async function markJoined(call: WriteCall, vendorId: string): Promise<Vendor> {
  const before = await vendors.lock(call, vendorId)
  // Who is archived may still look at what there was.
  if (before.portalStatus === 'joined' || before.archivedAt !== null) return before
  const after = await vendors.update(call, before, { portalStatus: 'joined' })
  await recordEvent(call, 'vendor.updated', after, before)
  return after
}

/** Takes "We will bid" or "We decline"; both can be changed as long as a bid is awaited. */
async function take(parts: Parts, subjectId: string, form: Record<string, unknown>): Promise<Page | null> {
  const invited = await portal.invitationBehind(parts.database.statements, subjectId)
  if (invited === undefined) return notFound()
  const reply = form.answer
  if (reply !== 'will_bid' && reply !== 'declined')
    return { status: 422, html: messagePage('That did not work', 'Please use the buttons of the page.') }
  const reason = typeof form.reason === 'string' ? form.reason.replaceAll('\0', '').trim().slice(0, MOST_REASON) : ''
  const call = await callOf(parts, invited)
  return call.write(async (call) => {
    const request = await lockBidRequest(call, invited.bidRequestId)
    const invitation = request.invitations.find((candidate) => candidate.id === subjectId)
    if (invitation === undefined || !canAnswer(request, invitation)) {
      return { status: 409, html: messagePage('Too late', 'This request takes no answer any more.') }
    }
    await answerInvitation(
      call,
      request.id,
      invitation.vendorId,
      reply,
      reply === 'declined' && reason !== '' ? reason : null,
    )
    return null
  })
}

function canAnswer(request: Pick<requests.BidRequestRow, 'status'>, invitation: Pick<Invitation, 'status'>): boolean {
  return request.status === 'sent' && (OPEN_INVITATION.includes(invitation.status) || invitation.status === 'declined')
}

async function callOf({ surroundings, database }: Parts, { organizationId, vendorId }: portal.Subject): Promise<Call> {
  const organization = await organizationOf(database.statements, organizationId)
  return newCall(surroundings, { principal: vendorOf(organization, vendorId, vendorId), requestId: 'portal' })
}
