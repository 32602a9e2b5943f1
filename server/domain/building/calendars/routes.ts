import { createHash } from 'node:crypto'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { newCall, type Surroundings } from '../../../platform/calls/call.ts'
import { clientAddress } from '../../../platform/calls/client-address.ts'
import { matchesEtag } from '../../../platform/calls/etag.ts'
import { pathForLog } from '../../../platform/calls/path-for-log.ts'
import { requestIdOf } from '../../../platform/calls/request-id.ts'
import type { FailureLog } from '../../../platform/problems/failure-log.ts'
import { toProblem } from '../../../platform/problems/problem.ts'
import { addDays, dateIn } from '../../../platform/values/calendar.ts'
import { feedBehind, type OpenFeed, readerOf } from './address.ts'
import { calendarOf } from './calendar.ts'
import { entriesOf } from './queries.ts'

/** Past tasks stay in a calendar for a month; future tasks appear a year ahead. */
const DAYS_BACK = 30
const DAYS_AHEAD = 365

interface Parts {
  surroundings: Surroundings
  log: Logger
  failures: FailureLog
}

/** Returns the routes of calendar feeds, which need no key. */
export function calendarRoutes(parts: Parts): Router {
  const routes = express.Router()
  routes.get('/calendars/:token.ics', (req, res, next) => {
    answer(parts, req, res, String(req.params.token)).catch(next)
  })
  routes.use('/calendars', (error: unknown, _req: Request, res: Response, next: NextFunction) => {
    // A URL that cannot be decoded does not exist.
    if (error instanceof URIError) say(res, 404, 'Not found')
    else next(error)
  })
  return routes
}

async function answer(parts: Parts, req: Request, res: Response, token: string): Promise<void> {
  const { surroundings, log } = parts
  const started = performance.now()
  const [requestId, address] = [requestIdOf(req), clientAddress(req)]
  res.set('X-Request-Id', requestId)
  let feed: OpenFeed | null = null
  try {
    await surroundings.limits.takeVisit(address)
    feed = await feedBehind(surroundings, token)
    const principal = readerOf(feed)
    await surroundings.limits.take(principal)
    const call = newCall(surroundings, { principal, requestId, address })
    const today = dateIn(feed.organization.timeZone, call.now)
    const window = { ...feed, from: addDays(today, -DAYS_BACK), to: addDays(today, DAYS_AHEAD) }
    write(
      req,
      res,
      calendarOf({ name: nameOf(feed), withVendors: feed.vendorId === null }, await entriesOf(call, window)),
    )
  } catch (error) {
    refuse(parts, res, error, requestId)
  }
  const ms = Math.round((performance.now() - started) * 100) / 100
  const by = { callerId: feed?.vendorId ?? feed?.userId ?? undefined, subjectId: feed?.feedId }
  const line = { requestId, address, operationId: 'readCalendar', ...by }
  log.info({ ...line, method: req.method, path: pathForLog(req.originalUrl), status: res.statusCode, ms }, 'request')
}

function nameOf({ owner, community, organization }: OpenFeed): string {
  return [owner, community, organization.name].filter((part) => part !== null).join(' – ')
}

function write(req: Request, res: Response, text: string): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  res.set({ ...HEADERS, ETag: etag })
  const known = req.headers['if-none-match']
  if (known !== undefined && matchesEtag(known, etag)) res.status(304).end()
  else res.status(200).type('text/calendar; charset=utf-8').send(text)
}

function refuse({ failures }: Parts, res: Response, error: unknown, requestId: string): void {
  const refused = toProblem(error)
  if (refused.status >= 500) failures.report(error, { requestId }, refused.code)
  const retryAfter = refused.headers['Retry-After']
  if (retryAfter !== undefined) res.set('Retry-After', retryAfter)
  // On 410, calendar programs stop requesting the feed.
  if (refused.code === 'revoked_token') say(res, 410, 'This calendar is no longer in use')
  else if (refused.code === 'not_found') say(res, 404, 'Not found')
  else say(res, refused.status, 'Please try again later')
}

// The URL is a secret: it must not leak through a Referer header, and the calendar must not stay in a shared cache.
const HEADERS = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-cache',
}

function say(res: Response, status: number, text: string): void {
  res.status(status).set(HEADERS).type('text/plain; charset=utf-8').send(`${text}.\n`)
}
