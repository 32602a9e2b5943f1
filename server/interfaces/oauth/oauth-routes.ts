import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import * as grants from '../../domain/administration/oauth-grants/queries.ts'
import { createCall, type Principal, type Services } from '../../platform/calls/call.ts'
import { getClientAddress } from '../../platform/calls/client-address.ts'
import { redactPath } from '../../platform/calls/redact-path.ts'
import { getRequestId } from '../../platform/calls/request-id.ts'
import { isFreshSignIn } from '../../platform/keys/fresh-sign-in.ts'
import { assertSameOrigin } from '../../platform/keys/same-origin.ts'
import type { FailureLog } from '../../platform/problems/failure-log.ts'
import { Problem } from '../../platform/problems/problem.ts'
import {
  type AuthorizationError,
  type AuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-request.ts'
import { grantAccess, listOfferedPermissions, sealTicket, unsealTicket } from './consent.ts'
import { renderConsentPage, renderNoticePage, renderUnconnectedPage } from './consent-page.ts'
import { findSignedInUser, type SignedInUser } from './find-signed-in-user.ts'
import { findClient, markClientConnected, registerClient } from './oauth-clients.ts'
import { MAX_REQUEST_BYTES, OauthError, toOauthError } from './oauth-error.ts'
import {
  getAuthorizationServerMetadata,
  getProtectedResourceMetadata,
  listResourceUrls,
  toWellKnownUrl,
} from './oauth-metadata.ts'
import { STYLE_SOURCE } from './oauth-style.ts'
import { exchangeToken, revokeToken } from './oauth-tokens.ts'
import { addParameters, formatHost, isRegisteredUri, toFormActionSource } from './redirect-uris.ts'

/**
 * Routes of OAuth 2.1 for apps that users connect: the metadata documents, the consent page, and the token endpoints.
 * The routes are not in the contract, because the OAuth standards define their paths, bodies, and errors. The contract
 * does define operations that list and revoke grants. Every operation that accepts an API key also accepts an OAuth
 * token.
 */
interface OauthRouteParts {
  services: Services
  log: Logger
  failures: FailureLog
}

/** Fields of the log line for a finished request. The query is left out, because it contains codes and states. */
interface OauthRequest {
  requestId: string
  address: string
  principal: Principal | null
}

export function createOauthRoutes(parts: OauthRouteParts): Router {
  const { services } = parts
  const { config, database, clock, limits } = services
  const { publicUrl } = config
  const routes = express.Router()
  addMetadataRoutes(routes, publicUrl)

  routes.use('/oauth', (req, res, next) => {
    const visit: OauthRequest = { requestId: getRequestId(req), address: getClientAddress(req), principal: null }
    res.locals.visit = visit
    logWhenFinished(parts, req, res, visit)
    res.set(COMMON_HEADERS).set('X-Request-Id', visit.requestId)
    limits.takeVisit(visit.address).then(() => next(), next)
  })
  const form = express.urlencoded({ extended: false, limit: MAX_REQUEST_BYTES })
  routes.post('/oauth/register', express.json({ limit: MAX_REQUEST_BYTES }), async (req, res) => {
    await limits.takeRegistration(getVisit(res).address)
    res.status(201).json(await registerClient(database, clock.now(), req.body))
  })
  routes.post('/oauth/token', form, async (req, res) => {
    res.set('Pragma', 'no-cache').json(await exchangeToken(services, req.body ?? {}))
  })
  routes.post('/oauth/revoke', form, async (req, res) => {
    await revokeToken(services, req.body ?? {})
    res.status(200).end()
  })
  routes.get('/oauth/authorize', (req, res) => respondWithPage(res, () => showConsent(parts, req, res)))
  routes.post('/oauth/authorize', form, (req, res) => respondWithPage(res, () => handleDecision(parts, req, res)))
  routes.use('/oauth', (error: unknown, _req: Request, res: Response, next: NextFunction) => {
    if (res.headersSent) return next(error)
    const { requestId } = getVisit(res)
    const { code, message, status, headers } = toOauthError(error)
    if (status >= 500 && !(error instanceof OauthError)) parts.failures.report(error, { requestId }, code)
    res.status(status).set(headers).json({ error: code, error_description: message })
  })
  return routes
}

/** Serves the metadata documents at the root of the host, even if the service itself has a path on the host. */
function addMetadataRoutes(routes: Router, publicUrl: string): void {
  const serve = (address: string, document: object) => {
    const { pathname } = new URL(address)
    routes.get(pathname, (_req, res) => {
      res.set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' }).json(document)
    })
  }
  for (const issuer of [publicUrl, new URL(publicUrl).origin])
    serve(toWellKnownUrl('oauth-authorization-server', issuer), getAuthorizationServerMetadata({ publicUrl }))
  for (const resource of listResourceUrls(publicUrl).filter((each) => !each.endsWith('/')))
    serve(toWellKnownUrl('oauth-protected-resource', resource), getProtectedResourceMetadata({ publicUrl }, resource))
}

/** Shows the consent page after the user has signed in. */
async function showConsent({ services }: OauthRouteParts, req: Request, res: Response): Promise<void> {
  const { config, database, clock } = services
  const { publicUrl } = config
  const root = getPath(publicUrl)
  const parameters = new URL(req.originalUrl, publicUrl).searchParams
  const organizationId = parameters.get('organization')
  parameters.delete('organization')
  const requested = await readAuthorizationRequest({ database, publicUrl }, parameters)
  if ('message' in requested) return respondWithNotice(res, 400, 'This app cannot be connected', requested.message)
  const person = await findSignedInUser(services, req.headers, organizationId)
  if ('error' in requested) return respondWithError(services, res, requested, person)
  // An app keeps its access for a year, so only a user who signed in recently may connect it.
  if (person === null || !isFreshSignIn(person.principal.session, clock.now())) {
    const back = `/oauth/authorize?${parameters}`
    return res.redirect(303, `${root}/sign-in?${new URLSearchParams({ to: back })}`)
  }
  const { principal, user, others } = person
  getVisit(res).principal = principal
  await services.limits.take(principal)
  if (principal.organization.tier !== 'pro_plus')
    return respondWithNotice(
      res,
      403,
      'This app cannot be connected',
      `${principal.organization.name} is not on the Pro+ tier.`,
    )
  const offered = listOfferedPermissions(requested, principal)
  if (offered.length === 0)
    return respondWithError(
      services,
      res,
      {
        ...requested,
        error: 'invalid_scope',
        description: 'Your role does not include any permission that the app requested.',
      },
      person,
    )
  const here = (id: string) => `${root}/oauth/authorize?${new URLSearchParams([...parameters, ['organization', id]])}`
  const html = renderConsentPage({
    ...{
      clientName: requested.client.name,
      place: formatHost(requested.redirectUri),
      isOnDevice: isDeviceRedirect(requested),
    },
    ...{ person: user, organization: principal.organization, offered },
    others: others.map(({ id, name }) => ({ name, href: here(id) })),
    ticket: sealTicket(config.encryptionKey, requested, principal, { offered, nowMs: clock.nowMs() }),
    action: `${root}/oauth/authorize`,
  })
  sendPage(res, 200, html, toFormActionSource(requested.redirectUri))
}

/** Processes the user's decision. */
async function handleDecision({ services }: OauthRouteParts, req: Request, res: Response): Promise<void> {
  const { config, database, clock } = services
  const { publicUrl } = config
  assertSameOrigin(req.headers, publicUrl)
  const sent = (req.body ?? {}) as Record<string, unknown>
  const signedIn = await findSignedInUser(services, req.headers, null)
  const sessionId = signedIn?.principal.session.id
  const ticket =
    sessionId === undefined ? null : unsealTicket(config.encryptionKey, String(sent.ticket), sessionId, clock.nowMs())
  if (ticket === null)
    return respondWithNotice(res, 400, 'This page is out of date', 'Go back to the app and connect it again.')
  const person = await findSignedInUser(services, req.headers, ticket.organizationId)
  const client = await findClient(database, ticket.clientId)
  if (person === null || client === undefined || !isRegisteredUri(ticket.redirectUri, client.redirectUris))
    return respondWithNotice(res, 400, 'This page is out of date', 'Go back to the app and connect it again.')
  const { principal } = person
  getVisit(res).principal = principal
  await services.limits.take(principal)
  if (sent.decision !== 'allow')
    return respondWithError(
      services,
      res,
      { ...ticket, client, error: 'access_denied', description: 'The user denied access.' },
      person,
    )
  const selected = [sent.permission ?? []].flat()
  const permissions = ticket.offered.filter((one) => selected.includes(one) && principal.permissions.has(one))
  if (permissions.length === 0)
    return respondWithNotice(
      res,
      422,
      'No permission is selected',
      'Go back and select at least one permission, or deny access.',
    )
  const { requestId, address } = getVisit(res)
  const call = createCall(services, { principal, requestId, address })
  const agreed = { clientName: client.name, permissions, proposeOnly: sent.proposeOnly === 'yes' }
  if (!(await markClientConnected(database, client.id, call.now)))
    return respondWithNotice(res, 400, 'This page is out of date', 'Go back to the app and connect it again.')
  const code = await grantAccess(call, ticket, agreed)
  const { redirectUri, state } = ticket
  res.redirect(303, addParameters(redirectUri, { code, state, iss: publicUrl }))
}

/**
 * Redirects with the error to an app that the user has connected before. For any other app, shows a page on which the
 * user decides whether to continue. Otherwise, an attacker could register an app only to make this service redirect
 * users to a malicious page (RFC 9700, section 4.11).
 */
async function respondWithError(
  { config, database }: Services,
  res: Response,
  { client, redirectUri, state, error, description }: AuthorizationError,
  person: SignedInUser | null,
): Promise<void> {
  const { publicUrl } = config
  const href = addParameters(redirectUri, { error, error_description: description, state, iss: publicUrl })
  if (person !== null) {
    const { id, organization } = person.principal
    const tenant = { db: database.of(organization.id).statements, organizationId: organization.id }
    if ((await grants.findActiveGrant(tenant, String(id), client.id)).length > 0) return res.redirect(303, href)
  }
  const isRefused = error === 'access_denied'
  const title = isRefused ? 'The app was not connected' : 'This app cannot be connected'
  const message = isRefused
    ? 'You denied access. The app has no permissions.'
    : `The app sent an invalid request. ${description}`
  const html = renderUnconnectedPage(title, message, { clientName: client.name, place: formatHost(redirectUri), href })
  sendPage(res, isRefused ? 200 : 400, html)
}

/** Returns the path of the service on its host; empty if the service is at the root. */
function getPath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}

function isDeviceRedirect({ redirectUri }: AuthorizationRequest): boolean {
  return !redirectUri.startsWith('https:')
}

/** Sends a page to the user. Error messages on the page are for users, not for apps. */
async function respondWithPage(res: Response, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    res.set({ ...error.headers })
    respondWithNotice(res, error.status, 'The app cannot be connected', error.message)
  }
}

function respondWithNotice(res: Response, status: number, title: string, message: string): void {
  sendPage(res, status, renderNoticePage(title, message))
}

function getVisit(res: Response): OauthRequest {
  return res.locals.visit as OauthRequest
}

const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // The page's URL contains the app's state, which other sites must not see. The page's own form must still send its
  // origin.
  'Referrer-Policy': 'same-origin',
}

/**
 * Sends a page. The response to its form redirects to the app, so the Content-Security-Policy must allow the app's URI.
 */
function sendPage(res: Response, status: number, html: string, formLeadsTo = ''): void {
  res
    .status(status)
    .set({
      'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action 'self' ${formLeadsTo}; base-uri 'none'; frame-ancestors 'none'`,
      'X-Frame-Options': 'DENY',
    })
    .type('html')
    .send(html)
}

function logWhenFinished({ log }: OauthRouteParts, req: Request, res: Response, visit: OauthRequest): void {
  const started = performance.now()
  const what = `oauth ${/^\/(authorize|token|register|revoke)$/.exec(req.path)?.[1] ?? 'unknown'}`
  res.once('finish', () => {
    const { requestId, address, principal } = visit
    const ms = Math.round((performance.now() - started) * 100) / 100
    const line = { requestId, address, operationId: what, callerId: principal?.id }
    log.info({ ...line, method: req.method, path: redactPath(req.originalUrl), status: res.statusCode, ms }, 'request')
  })
}
