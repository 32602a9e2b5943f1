import { createHash } from 'node:crypto'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { VendorLanguage } from '../../../../client/contract.gen.ts'
import { createCall, type Services } from '../../../platform/calls/call.ts'
import { getClientAddress } from '../../../platform/calls/client-address.ts'
import { matchesEtag } from '../../../platform/calls/etag.ts'
import { redactPath } from '../../../platform/calls/redact-path.ts'
import { getRequestId } from '../../../platform/calls/request-id.ts'
import type { FailureLog } from '../../../platform/problems/failure-log.ts'
import { toProblem } from '../../../platform/problems/problem.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { buildCalendar, CALENDAR_LANGUAGES } from './calendar.ts'
import { findFeedByToken, type OpenFeed, toFeedReader } from './feed-url.ts'
import { listCalendarEntries } from './queries.ts'

/** A calendar contains the tasks from 30 days ago until a year from now. */
const DAYS_BACK = 30
const DAYS_AHEAD = 365

interface CalendarRouteParts {
  services: Services
  log: Logger
  failures: FailureLog
}

/** Returns the routes of calendar feeds, which do not require a key. */
export function createCalendarRoutes(parts: CalendarRouteParts): Router {
  const routes = express.Router()
  routes.get('/calendars/:token.ics', (req, res, next) => {
    respondWithCalendar(parts, req, res, String(req.params.token)).catch(next)
  })
  routes.use('/calendars', (error: unknown, _req: Request, res: Response, next: NextFunction) => {
    // Respond with 404 to a URL that cannot be decoded.
    if (error instanceof URIError) sendText(res, 404, 'Not found')
    else next(error)
  })
  return routes
}

async function respondWithCalendar(
  parts: CalendarRouteParts,
  req: Request,
  res: Response,
  token: string,
): Promise<void> {
  const { services, log } = parts
  const started = performance.now()
  const [requestId, address] = [getRequestId(req), getClientAddress(req)]
  res.set('X-Request-Id', requestId)
  let feed: OpenFeed | null = null
  try {
    await services.limits.takeVisit(address)
    feed = await findFeedByToken(services, token)
    const principal = toFeedReader(feed)
    await services.limits.take(principal)
    const call = createCall(services, { principal, requestId, address })
    const today = toLocalDate(feed.organization.timeZone, call.now)
    const window = { ...feed, from: addDays(today, -DAYS_BACK), to: addDays(today, DAYS_AHEAD) }
    sendCalendar(
      req,
      res,
      buildCalendar(
        { name: formatCalendarName(feed), language: chooseLanguage(req, feed), withVendors: feed.vendorId === null },
        await listCalendarEntries(call, window),
      ),
    )
  } catch (error) {
    respondWithProblem(parts, res, error, requestId)
  }
  const ms = Math.round((performance.now() - started) * 100) / 100
  const by = { callerId: feed?.vendorId ?? feed?.userId ?? undefined, subjectId: feed?.feedId }
  const line = { requestId, address, operationId: 'readCalendar', ...by }
  log.info({ ...line, method: req.method, path: redactPath(req.originalUrl), status: res.statusCode, ms }, 'request')
}

/** The portal adds the language of its page to the link. Otherwise, the calendar has the language of the vendor. */
function chooseLanguage({ query }: Request, { language }: OpenFeed): VendorLanguage {
  return CALENDAR_LANGUAGES.find((each) => each === query.language) ?? language ?? 'en'
}

function formatCalendarName({ owner, community, organization }: OpenFeed): string {
  return [owner, community, organization.name].filter((part) => part !== null).join(' – ')
}

function sendCalendar(req: Request, res: Response, text: string): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  res.set({ ...HEADERS, ETag: etag })
  const known = req.headers['if-none-match']
  if (known !== undefined && matchesEtag(known, etag)) res.status(304).end()
  else res.status(200).type('text/calendar; charset=utf-8').send(text)
}

function respondWithProblem({ failures }: CalendarRouteParts, res: Response, error: unknown, requestId: string): void {
  const refused = toProblem(error)
  if (refused.status >= 500) failures.report(error, { requestId }, refused.code)
  const retryAfter = refused.headers['Retry-After']
  if (retryAfter !== undefined) res.set('Retry-After', retryAfter)
  // After a 410 response, calendar programs stop requesting the feed.
  if (refused.code === 'revoked_token') sendText(res, 410, 'This calendar is no longer in use')
  else if (refused.code === 'not_found') sendText(res, 404, 'Not found')
  else sendText(res, refused.status, 'Please try again later')
}

// The URL is a secret. The headers keep the URL out of Referer headers and the calendar out of shared caches.
const HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-cache',
}

function sendText(res: Response, status: number, text: string): void {
  res.status(status).set(HEADERS).type('text/plain; charset=utf-8').send(`${text}.\n`)
}
