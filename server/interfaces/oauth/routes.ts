import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import * as grants from '../../domain/administration/oauth-grants/queries.ts'
import { newCall, type Principal, type Surroundings } from '../../platform/calls/call.ts'
import { clientAddress } from '../../platform/calls/client-address.ts'
import { pathForLog } from '../../platform/calls/path-for-log.ts'
import { requestIdOf } from '../../platform/calls/request-id.ts'
import { isFresh } from '../../platform/keys/fresh-sign-in.ts'
import { assertSameOrigin } from '../../platform/keys/same-origin.ts'
import type { FailureLog } from '../../platform/problems/failure-log.ts'
import { Problem } from '../../platform/problems/problem.ts'
import { type AuthorizationRequest, type Refusal, readAuthorizationRequest } from './authorization-request.ts'
import { findClient, noteGrant, register } from './clients.ts'
import { grant, offeredTo, openTicket, sealTicket } from './consent.ts'
import { consentPage, noticePage, unconnectedPage } from './consent-page.ts'
import { MOST_BYTES, OauthError, toOauthError } from './errors.ts'
import { authorizationServer, protectedResource, resourcesOf, wellKnown } from './metadata.ts'
import { type Person, personBehind } from './person.ts'
import { isRegistered, placeOf, sourceOf, withParameters } from './redirects.ts'
import { STYLE_SOURCE } from './style.ts'
import { exchange, giveBack } from './tokens.ts'

/**
 * OAuth 2.1 for apps that users connect: the metadata documents, the consent page, and the tokens. It is not part of
 * the contract, because OAuth's own standards define its paths, bodies and errors. Its results are: operations list and
 * revoke grants, and a token is accepted wherever an API key is.
 */
interface Parts {
  surroundings: Surroundings
  log: Logger
  failures: FailureLog
}

/** Log fields of a finished request. The query is left out, because it contains codes and states. */
interface Visit {
  requestId: string
  address: string
  principal: Principal | null
}

export function oauthRoutes(parts: Parts): Router {
  const { surroundings } = parts
  const { config, database, clock, limits } = surroundings
  const { publicUrl } = config
  const routes = express.Router()
  documents(routes, publicUrl)

  routes.use('/oauth', (req, res, next) => {
    const visit: Visit = { requestId: requestIdOf(req), address: clientAddress(req), principal: null }
    res.locals.visit = visit
    logAtEnd(parts, req, res, visit)
    res.set(ALWAYS).set('X-Request-Id', visit.requestId)
    limits.takeVisit(visit.address).then(() => next(), next)
  })
  const form = express.urlencoded({ extended: false, limit: MOST_BYTES })
  routes.post('/oauth/register', express.json({ limit: MOST_BYTES }), async (req, res) => {
    await limits.takeRegistration(visitOf(res).address)
    res.status(201).json(await register(database, clock.now(), req.body))
  })
  routes.post('/oauth/token', form, async (req, res) => {
    res.set('Pragma', 'no-cache').json(await exchange(surroundings, req.body ?? {}))
  })
  routes.post('/oauth/revoke', form, async (req, res) => {
    await giveBack(surroundings, req.body ?? {})
    res.status(200).end()
  })
  routes.get('/oauth/authorize', (req, res) => page(res, () => ask(parts, req, res)))
  routes.post('/oauth/authorize', form, (req, res) => page(res, () => decide(parts, req, res)))
  routes.use('/oauth', (error: unknown, _req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) return next(error)
    const { requestId } = visitOf(res)
    const { code, message, status, headers } = toOauthError(error)
    if (status >= 500 && !(error instanceof OauthError)) parts.failures.report(error, { requestId }, code)
    res.status(status).set(headers).json({ error: code, error_description: message })
  })
  return routes
}

/** The documents are at the root of the host, before the path that the service may have there. */
function documents(routes: Router, publicUrl: string): void {
  const serve = (address: string, document: object) => {
    const { pathname } = new URL(address)
    routes.get(pathname, (_req, res) => {
      res.set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' }).json(document)
    })
  }
  for (const issuer of [publicUrl, new URL(publicUrl).origin])
    serve(wellKnown('oauth-authorization-server', issuer), authorizationServer({ publicUrl }))
  for (const resource of resourcesOf(publicUrl).filter((each) => !each.endsWith('/')))
    serve(wellKnown('oauth-protected-resource', resource), protectedResource({ publicUrl }, resource))
}

/** Shows the consent page after the user has signed in. */
async function ask({ surroundings }: Parts, req: Request, res: Response): Promise<void> {
  const { config, database, clock } = surroundings
  const { publicUrl } = config
  const root = pathOf(publicUrl)
  const parameters = new URL(req.originalUrl, publicUrl).searchParams
  const organizationId = parameters.get('organization')
  parameters.delete('organization')
  const asked = await readAuthorizationRequest({ database, publicUrl }, parameters)
  if ('message' in asked) return tell(res, 400, 'This app cannot be connected', asked.message)
  const person = await personBehind(surroundings, req.headers, organizationId)
  if ('error' in asked) return refuse(surroundings, res, asked, person)
  // An app keeps its access for a year, so connecting one requires a fresh sign-in.
  if (person === null || !isFresh(person.principal.session, clock.now())) {
    const back = `/oauth/authorize?${parameters}`
    return res.redirect(303, `${root}/sign-in?${new URLSearchParams({ to: back })}`)
  }
  const { principal, user, others } = person
  visitOf(res).principal = principal
  await surroundings.limits.take(principal)
  if (principal.organization.tier !== 'pro_plus')
    return tell(res, 403, 'This app cannot be connected', `${principal.organization.name} is not on the Pro+ tier.`)
  const offered = offeredTo(asked, principal)
  if (offered.length === 0)
    return refuse(
      surroundings,
      res,
      {
        ...asked,
        error: 'invalid_scope',
        description: 'Your role does not include any permission that the app requested.',
      },
      person,
    )
  const here = (id: string) => `${root}/oauth/authorize?${new URLSearchParams([...parameters, ['organization', id]])}`
  const html = consentPage({
    ...{ clientName: asked.client.name, place: placeOf(asked.redirectUri), isOnDevice: isOnDevice(asked) },
    ...{ person: user, organization: principal.organization, offered },
    others: others.map(({ id, name }) => ({ name, href: here(id) })),
    ticket: sealTicket(config.encryptionKey, asked, principal, { offered, nowMs: clock.nowMs() }),
    action: `${root}/oauth/authorize`,
  })
  write(res, 200, html, sourceOf(asked.redirectUri))
}

/** Processes the user's decision. */
async function decide({ surroundings }: Parts, req: Request, res: Response): Promise<void> {
  const { config, database, clock } = surroundings
  const { publicUrl } = config
  assertSameOrigin(req.headers, publicUrl)
  const sent = (req.body ?? {}) as Record<string, unknown>
  const signedIn = await personBehind(surroundings, req.headers, null)
  const sessionId = signedIn?.principal.session.id
  const ticket =
    sessionId === undefined ? null : openTicket(config.encryptionKey, String(sent.ticket), sessionId, clock.nowMs())
  if (ticket === null) return tell(res, 400, 'This page is out of date', 'Go back to the app and connect it again.')
  const person = await personBehind(surroundings, req.headers, ticket.organizationId)
  const client = await findClient(database, ticket.clientId)
  if (person === null || client === undefined || !isRegistered(ticket.redirectUri, client.redirectUris))
    return tell(res, 400, 'This page is out of date', 'Go back to the app and connect it again.')
  const { principal } = person
  visitOf(res).principal = principal
  await surroundings.limits.take(principal)
  if (sent.decision !== 'allow')
    return refuse(
      surroundings,
      res,
      { ...ticket, client, error: 'access_denied', description: 'The user denied access.' },
      person,
    )
  const ticked = [sent.permission ?? []].flat()
  const permissions = ticket.offered.filter((one) => ticked.includes(one) && principal.permissions.has(one))
  if (permissions.length === 0)
    return tell(res, 422, 'No permission is selected', 'Go back and select at least one permission, or deny access.')
  const { requestId, address } = visitOf(res)
  const call = newCall(surroundings, { principal, requestId, address })
  const agreed = { clientName: client.name, permissions, proposeOnly: sent.proposeOnly === 'yes' }
  if (!(await noteGrant(database, client.id, call.now)))
    return tell(res, 400, 'This page is out of date', 'Go back to the app and connect it again.')
  const code = await grant(call, ticket, agreed)
  const { redirectUri, state } = ticket
  res.redirect(303, withParameters(redirectUri, { code, state, iss: publicUrl }))
}

/**
 * Redirects the error to an app that the user has connected before. Any other app could be one that was registered to
 * make this service redirect users to a malicious page, so the user sees a page and decides (RFC 9700, section 4.11).
 */
async function refuse(
  { config, database }: Surroundings,
  res: Response,
  { client, redirectUri, state, error, description }: Refusal,
  person: Person | null,
): Promise<void> {
  const { publicUrl } = config
  const href = withParameters(redirectUri, { error, error_description: description, state, iss: publicUrl })
  if (person !== null) {
    const { id, organization } = person.principal
    const tenant = { db: database.of(organization.id).statements, organizationId: organization.id }
    if ((await grants.standing(tenant, String(id), client.id)).length > 0) return res.redirect(303, href)
  }
  const isRefused = error === 'access_denied'
  const title = isRefused ? 'The app was not connected' : 'This app cannot be connected'
  const message = isRefused
    ? 'You denied access. The app has no permissions.'
    : `The app sent an invalid request. ${description}`
  const html = unconnectedPage(title, message, { clientName: client.name, place: placeOf(redirectUri), href })
  write(res, isRefused ? 200 : 400, html)
}

/** Returns the path of the service on its host, which may not be the root. */
function pathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

function isOnDevice({ redirectUri }: AuthorizationRequest): boolean {
  return !redirectUri.startsWith('https:')
}

/** Sends a page for a user. Its errors are written for users rather than for apps. */
async function page(res: Response, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    res.set({ ...error.headers })
    tell(res, error.status, 'The app cannot be connected', error.message)
  }
}

function tell(res: Response, status: number, title: string, message: string): void {
  write(res, status, noticePage(title, message))
}

function visitOf(res: Response): Visit {
  return res.locals.visit as Visit
}

const ALWAYS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // The page's URL contains the app's state. The page's own form must still send its origin.
  'Referrer-Policy': 'same-origin',
}

/** Writes a page. The form redirects to the app, which the policy must allow by name. */
function write(res: Response, status: number, html: string, formLeadsTo = ''): void {
  res
    .status(status)
    .set({
      'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action 'self' ${formLeadsTo}; base-uri 'none'; frame-ancestors 'none'`,
      'X-Frame-Options': 'DENY',
    })
    .type('html')
    .send(html)
}

function logAtEnd({ log }: Parts, req: Request, res: Response, visit: Visit): void {
  const started = performance.now()
  const what = `oauth ${/^\/(authorize|token|register|revoke)$/.exec(req.path)?.[1] ?? 'unknown'}`
  res.once('finish', () => {
    const { requestId, address, principal } = visit
    const ms = Math.round((performance.now() - started) * 100) / 100
    const line = { requestId, address, operationId: what, callerId: principal?.id }
    log.info({ ...line, method: req.method, path: pathForLog(req.originalUrl), status: res.statusCode, ms }, 'request')
  })
}
