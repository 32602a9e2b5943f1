import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import type { Logger } from 'pino'
import type { VendorLanguage } from '../../../../client/contract.gen.ts'
import type { Services } from '../../../platform/calls/call.ts'
import type { FileResponse } from '../../../platform/calls/file-response.ts'
import { isHttps, readCookie, toHostCookieName } from '../../../platform/calls/host-cookie.ts'
import type { Problem } from '../../../platform/problems/problem.ts'
import { discardRemainingBody, hasUnreadBody } from '../../http/request-body.ts'
import { MAX_READ_BYTES } from '../forms/form-body.ts'
import type { Notice } from '../forms/problem-notices.ts'
import { renderNoticePage } from '../pages/html.ts'
import { getConflictSentence } from '../pages/page-context.ts'
import { STYLE_SOURCE } from '../pages/portal-style.ts'
import { chooseLanguage, createPageLocale, LANGUAGES, type PageLocale } from '../pages/words/page-locale.ts'

/** Sends the pages for which vendors and home owners need a secret link. */

/** The page request, which is stored in `res.locals.visit`. */
export interface PageVisit {
  requestId: string
}

/** Sends a short page that explains why the requested page cannot be shown. */
export async function respondWithNotice(
  services: Services,
  req: Request,
  res: Response,
  status: number,
  notice: Notice,
  declared: VendorLanguage | null,
  /** A conflict for which the page may have a specific message. This message replaces the text of the notice. */
  conflict: Problem | null = null,
): Promise<void> {
  const reader = createPageLocale(
    chooseLanguage(readLanguageCookie(services, req), declared, readAcceptedLanguage(req)),
    services.clock.now(),
  )
  const { notices } = reader.words
  const [title = '', message = ''] = notices[notice]
  await sendPage(
    req,
    res,
    status,
    renderNoticePage(reader, {
      ...{ title, message: getConflictSentence(conflict?.extras.reason ?? null, reader.words) ?? message },
      ...{ contact: null, back: null, canRequestLinks: false },
    }),
  )
}

/** Programs that preview or check a link without a person opening it. */
const PREVIEWERS =
  /bot\b|crawler|spider|facebookexternalhit|whatsapp|telegram|slack|discord|skypeuripreview|embedly|preview|barracuda|mimecast|proofpoint|safelinks/i

/** Returns whether no person looks at the page, as for a HEAD request, a browser's prefetch, or a link preview. */
export function isPreview({ method, headers }: Request): boolean {
  if (method === 'HEAD') return true
  if (method !== 'GET') return false
  const purpose = [headers['sec-purpose'], headers.purpose, headers['x-moz']].flat().join(' ')
  return /prefetch|preview|prerender/i.test(purpose) || PREVIEWERS.test(headers['user-agent'] ?? '')
}

/**
 * Responds to a program that checks or previews a link. The response has no content and reveals nothing about the link,
 * and the invitation is not marked as viewed. When a person opens a prefetched page, the browser requests it again.
 */
export async function showPreview(services: Services, req: Request, res: Response): Promise<void> {
  const reader = createPageLocale(chooseLanguage(readAcceptedLanguage(req)), services.clock.now())
  const [title = '', message = ''] = reader.words.preview
  res.set('Vary', 'Sec-Purpose, Purpose')
  await sendPage(
    req,
    res,
    req.headers['sec-purpose'] === undefined ? 200 : 503,
    renderNoticePage(reader, { title, message, contact: null, back: null, canRequestLinks: false }),
  )
}

const LANGUAGE_COOKIE = 'portal_language'
const YEAR_SECONDS = 31_536_000

export function readLanguageCookie({ config }: Services, { headers }: Request): string | undefined {
  return readCookie(headers.cookie, toHostCookieName(LANGUAGE_COOKIE, config.publicUrl)) ?? undefined
}

/**
 * Returns the language settings for the reader of a page. `declared` is the language that the builder recorded for the
 * vendor.
 */
export function createPageReader(
  services: Services,
  req: Request,
  declared: VendorLanguage | null,
  now: Date,
): PageLocale {
  return createPageLocale(chooseLanguage(readLanguageCookie(services, req), declared, readAcceptedLanguage(req)), now)
}

export function readAcceptedLanguage(req: Request): string | false {
  return req.acceptsLanguages([...LANGUAGES])
}

/** Stores the chosen language in this browser, for all pages of the portal. */
export function storeLanguage(services: Services, req: Request, res: Response, language: VendorLanguage): void {
  const { publicUrl } = services.config
  res.cookie(toHostCookieName(LANGUAGE_COOKIE, publicUrl), language, {
    ...{ path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(publicUrl) },
    maxAge: YEAR_SECONDS * 1000,
  })
  res.set(HEADERS).redirect(303, req.path)
}

// The URL is secret: a Referer header must not reveal it, and a shared cache must not store the page.
const HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // With no-store, browsers would discard the user's entries when the user goes back.
  'Cache-Control': 'private, no-cache',
}

const gzipAsync = promisify(gzip)

/** The Content-Security-Policy directive for pages that show photos from this service. */
const IMAGE_SOURCE = "; img-src 'self'"

/** Sends a page. Compresses it if the browser allows, because long requests consist of similar lines. */
export async function sendPage(
  req: Request,
  res: Response,
  status: number,
  html: string,
  { hasImages = false } = {},
): Promise<void> {
  const { requestId } = res.locals.visit as PageVisit
  res.status(status).set(HEADERS).set('X-Request-Id', requestId).vary('Accept-Encoding').type('html')
  if (hasImages) res.set('Content-Security-Policy', HEADERS['Content-Security-Policy'] + IMAGE_SOURCE)
  const isCompressed = req.acceptsEncodings('gzip') === 'gzip'
  if (isCompressed) res.set('Content-Encoding', 'gzip')
  const page = isCompressed ? await gzipAsync(html) : Buffer.from(html)
  if (!hasUnreadBody(req)) return void res.send(page)
  res.set('Content-Length', String(page.length)).write(page)
  discardRemainingBody(req, () => res.end(), MAX_DROPPED_BYTES)
}

export function redirect(req: Request, res: Response, to: string): void {
  res.set(HEADERS)
  if (!hasUnreadBody(req)) {
    res.redirect(303, to)
    return
  }
  res.status(303).set({ Location: to, 'Content-Length': '0' }).flushHeaders()
  discardRemainingBody(req, () => res.end(), MAX_DROPPED_BYTES)
}

// The maximum number of bytes to read and discard. A browser shows a response only after it has sent the whole form,
// and a video from a phone is larger than the maximum size of a file.
const MAX_DROPPED_BYTES = 2 * MAX_READ_BYTES

export async function sendFile(log: Logger, res: Response, file: FileResponse): Promise<void> {
  const { requestId } = res.locals.visit as PageVisit
  const { headers, contentType, length, open } = file.sent({ range: undefined, ifRange: undefined })
  const bytes = await open()
  res.status(200).set({ ...HEADERS, ...headers, 'X-Request-Id': requestId, 'Content-Length': String(length) })
  res.type(contentType)
  // If the response were longer than its declared length, the client would read the rest as the next response.
  res.strictContentLength = true
  // If reading the file fails, the status has already been sent, so the only option is to close the connection.
  await pipeline(bytes, res).catch((error: unknown) => {
    log.warn({ err: error, requestId }, 'could not send a complete file')
    res.destroy()
  })
}
