import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { ConflictReason, PortalVisit, VendorLanguage } from '../../../client/contract.gen.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import { type Call, newCall, type Principal, type Services } from '../../platform/calls/call.ts'
import { clientAddressOf } from '../../platform/calls/client-address.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import { FileResponse } from '../../platform/calls/file-response.ts'
import { hostCookieName, isHttps, readCookie } from '../../platform/calls/host-cookie.ts'
import { redactPath } from '../../platform/calls/path-for-log.ts'
import { getRequestId } from '../../platform/calls/request-id.ts'
import { authenticateVendor } from '../../platform/keys/portal-authenticator.ts'
import type { FailureLog } from '../../platform/problems/failure-log.ts'
import { notFound, type Problem, toProblem } from '../../platform/problems/problem.ts'
import { discardRest, hasUnreadBody } from '../http/request-body.ts'
import { readForm, type SentForm } from './form-body.ts'
import { getPage, type PageResult } from './get-page.ts'
import { subjectKindOf } from './page-subject.ts'
import { renderNoticePage } from './pages/html.ts'
import type { PageContext } from './pages/page-context.ts'
import { STYLE_SOURCE } from './pages/portal-style.ts'
import { chooseLanguage, createReader, LANGUAGES } from './pages/reader.ts'
import type { Words } from './pages/words/english.ts'
import { openInvitationFile, openOrderFile } from './portal-attachments.ts'
import { createPortalOrderPdf } from './portal-order.ts'
import { operationForForm, postForm } from './post-form.ts'
import { type Notice, toProblemNotice } from './problem-notices.ts'

/**
 * The pages behind the links that are sent to vendors. Anyone with a link acts as the vendor. A page only calls, as
 * that vendor, the operations that the contract opens to vendors.
 */
interface PortalRouteParts {
  services: Services
  log: Logger
  failures: FailureLog
}

/** Log fields of a finished page request, as for every other request. */
interface PageRequest {
  requestId: string
  address: string
  principal: Principal | null
  call: Call | null
}

// The longest form without a file contains a message. In bytes.
const MAX_FORM_BYTES = 32 * 1024

// The second path is a page of the vendor's whole portal or of one invitation; the third is a part of it.
const PAGE_PATHS = ['/portal/:token', '/portal/:token/:subject', '/portal/:token/:subject/:part']

export function createPortalRoutes(parts: PortalRouteParts): Router {
  const routes = express.Router()
  routes.use('/portal', (req, res, next) => {
    const visit: PageRequest = {
      requestId: getRequestId(req),
      address: clientAddressOf(req),
      principal: null,
      call: null,
    }
    res.locals.visit = visit
    logWhenFinished(parts, req, res, visit)
    next()
  })
  routes.get('/portal/:token/:subject/files/:attachmentId', (req, res) =>
    respond(parts, req, res, (call) => {
      const [subject, attachmentId] = [String(req.params.subject), String(req.params.attachmentId)]
      return subjectKindOf(subject) === 'order'
        ? openOrderFile(call, subject, attachmentId)
        : openInvitationFile(call, subject, attachmentId)
    }),
  )
  routes.get('/portal/:token/:subject/pdf', (req, res) =>
    respond(parts, req, res, (call) => createPortalOrderPdf(call, String(req.params.subject))),
  )
  routes.get(PAGE_PATHS, (req, res) => {
    const chosen = LANGUAGES.find((language) => language === req.query.language)
    if (chosen !== undefined) return storeLanguage(parts, req, res, chosen)
    return respond(parts, req, res, (call, requested) =>
      getPage(call, { ...requested, query: req.query }, (visit) => toPageContext(req, call, visit)),
    )
  })
  routes.post(PAGE_PATHS, express.urlencoded({ extended: false, limit: MAX_FORM_BYTES }), (req, res) =>
    respond(parts, req, res, async (call, { subject, part }) => {
      if (subject === null) throw notFound()
      const sent = await readSentForm(parts, req)
      try {
        const target = { root: portalRoot(req), subject, part, here: req.path }
        return await postForm(call, target, sent, async () =>
          toPageContext(req, call, await call.operation('openPortal', {})),
        )
      } finally {
        await sent.file?.discard()
      }
    }),
  )
  routes.use('/portal', (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    // A path that cannot be decoded does not exist. Any other error comes from a form that is too long or malformed.
    if (error instanceof URIError) return respondWithNotice(parts, req, res, 404, 'notFound', null)
    const { status = 400 } = error as { status?: number }
    return respondWithNotice(parts, req, res, status, status === 413 ? 'tooLong' : 'wrongForm', null)
  })
  return routes
}

/** Returns the operation that a part of a page calls: the download of a file, or the one that opens a page. */
function operationForPage(subject: string, part: string): OperationId {
  if (part === 'pdf') return 'getPortalOrderPdf'
  if (part !== 'files') return 'openPortal'
  return subjectKindOf(subject) === 'order' ? 'downloadPortalOrderAttachment' : 'downloadPortalAttachment'
}

function logWhenFinished({ log }: PortalRouteParts, req: Request, res: Response, visit: PageRequest): void {
  const started = performance.now()
  const [, , , subject = '', part = ''] = `${req.baseUrl}${req.path}`.split('/')
  const operationId = req.method === 'POST' ? operationForForm(subject, part) : operationForPage(subject, part)
  res.once('finish', () => {
    const { requestId, address, principal } = visit
    const ms = Math.round((performance.now() - started) * 100) / 100
    const by = { callerId: principal?.id, subjectId: principal?.subjectId ?? undefined }
    const line = { requestId, address, operationId, ...by, method: req.method, path: redactPath(req.originalUrl) }
    log.info({ ...line, status: res.statusCode, ms }, 'request')
  })
}

interface RequestedPage {
  subject: string | null
  part: string | null
}

/** Authenticates the token and sends the page or file that `make` returns, or redirects to its URL. */
async function respond(
  parts: PortalRouteParts,
  req: Request,
  res: Response,
  make: (call: Call, requested: RequestedPage) => Promise<PageResult | FileResponse>,
): Promise<void> {
  const visit = res.locals.visit as PageRequest
  const { services } = parts
  try {
    await services.limits.takeVisit(visit.address)
    const { token, subject, part } = req.params
    const principal = await authenticateVendor(services, String(token))
    visit.principal = principal
    await services.limits.take(principal)
    const { requestId, address } = visit
    const call = newCall(services, { principal, requestId, address })
    visit.call = call
    const requested = {
      subject: subject === undefined ? invitationIdOf(principal) : String(subject),
      part: part === undefined ? null : String(part),
    }
    const shown = await make(call, requested)
    if (shown instanceof FileResponse) await sendFile(parts, res, shown)
    else if ('to' in shown) res.set(HEADERS).redirect(303, shown.to)
    else await sendPage(req, res, shown.status ?? 200, shown.html)
  } catch (error) {
    await respondWithProblem(parts, req, res, error)
  }
}

async function respondWithProblem(parts: PortalRouteParts, req: Request, res: Response, error: unknown): Promise<void> {
  const refused = toProblem(error)
  const { requestId, call } = res.locals.visit as PageRequest
  if (refused.status >= 500) parts.failures.report(error, { requestId }, refused.code)
  const retryAfter = refused.headers['Retry-After']
  if (retryAfter !== undefined) res.set('Retry-After', retryAfter)
  const { status, notice } = toProblemNotice(refused)
  const declared = status >= 500 ? null : await findVendorLanguage(call)
  await respondWithNotice(parts, req, res, status, notice, declared, notice === 'tooLate' ? refused : null)
}

/** Sends a short page that says why there is nothing to see. */
async function respondWithNotice(
  { services }: PortalRouteParts,
  req: Request,
  res: Response,
  status: number,
  notice: Notice,
  declared: VendorLanguage | null,
  /** A conflict whose reason may have a sentence of its own, which replaces that of the notice. */
  conflict: Problem | null = null,
): Promise<void> {
  const reader = createReader(
    chooseLanguage(readLanguageCookie(services, req), declared, acceptedLanguage(req)),
    services.clock.now(),
  )
  const { notices } = reader.words
  const [title = '', message = ''] = notices[notice]
  await sendPage(req, res, status, renderNoticePage(reader, title, sentenceFor(conflict, reader.words) ?? message))
}

function sentenceFor(conflict: Problem | null, { conflicts }: Words): string | undefined {
  const sentences: { readonly [Reason in ConflictReason]?: string } = conflicts
  const { reason } = conflict?.extras ?? {}
  return reason === undefined ? undefined : sentences[reason]
}

/** Returns the language that the builder recorded for the vendor; null if the visitor is unknown. */
async function findVendorLanguage(call: Call | null): Promise<VendorLanguage | null> {
  if (call === null) return null
  return (await vendors.findOptional(call, String(call.principal.id)).catch(() => undefined))?.language ?? null
}

function toPageContext(
  req: Request,
  call: Call,
  { builder, vendor, invitationId, language }: PortalVisit,
): PageContext {
  const root = portalRoot(req)
  return {
    reader: createReader(
      chooseLanguage(readLanguageCookie(call.services, req), language, acceptedLanguage(req)),
      call.now,
    ),
    ...{ builder: builder.name, vendor: vendor.companyName, now: call.now, root, here: req.path },
    isWhole: invitationId === null,
  }
}

function portalRoot(req: Request): string {
  return `/portal/${req.params.token}`
}

/** Reads a form with a file, or returns the form that the previous parser has read. */
function readSentForm({ services: { files, config } }: PortalRouteParts, req: Request): Promise<SentForm> | SentForm {
  if (req.is('multipart/form-data') !== false) return readForm(req, files, config.requestTimeoutMs)
  const body = (req.body ?? {}) as Record<string, unknown>
  const fields = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { fields: Object.fromEntries(fields.map(([name, value]) => [name, value.replaceAll('\0', '')])), file: null }
}

const LANGUAGE_COOKIE = 'portal_language'
const YEAR_SECONDS = 31_536_000

function readLanguageCookie({ config }: Services, { headers }: Request): string | undefined {
  return readCookie(headers.cookie, hostCookieName(LANGUAGE_COOKIE, config.publicUrl)) ?? undefined
}

function acceptedLanguage(req: Request): string | false {
  return req.acceptsLanguages([...LANGUAGES])
}

/** Stores the chosen language for every page of the portal in this browser. */
function storeLanguage({ services }: PortalRouteParts, req: Request, res: Response, language: VendorLanguage): void {
  const { publicUrl } = services.config
  res.cookie(hostCookieName(LANGUAGE_COOKIE, publicUrl), language, {
    ...{ path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(publicUrl) },
    maxAge: YEAR_SECONDS * 1000,
  })
  res.set(HEADERS).redirect(303, req.path)
}

// The URL is a secret: it must not leak through a Referer header, and the page must not stay in a shared cache.
const HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

const gzipAsync = promisify(gzip)

/** Sends a page, compressed if the browser accepts that, because long requests repeat similar lines. */
async function sendPage(req: Request, res: Response, status: number, html: string): Promise<void> {
  const { requestId } = res.locals.visit as PageRequest
  res.status(status).set(HEADERS).set('X-Request-Id', requestId).vary('Accept-Encoding').type('html')
  const isCompressed = req.acceptsEncodings('gzip') === 'gzip'
  if (isCompressed) res.set('Content-Encoding', 'gzip')
  const page = isCompressed ? await gzipAsync(html) : Buffer.from(html)
  if (!hasUnreadBody(req)) return void res.send(page)
  res.set('Content-Length', String(page.length)).write(page)
  discardRest(req, () => res.end())
}

async function sendFile({ log }: PortalRouteParts, res: Response, file: FileResponse): Promise<void> {
  const { requestId } = res.locals.visit as PageRequest
  const { headers, contentType, length, open } = file.sent({ range: undefined, ifRange: undefined })
  const bytes = await open()
  res.status(200).set({ ...HEADERS, ...headers, 'X-Request-Id': requestId, 'Content-Length': String(length) })
  res.type(contentType)
  // Bytes beyond the declared length would be read as the next response.
  res.strictContentLength = true
  // The status is already sent, so if reading the file fails, the connection can only be closed.
  await pipeline(bytes, res).catch((error: unknown) => {
    log.warn({ err: error, requestId }, 'could not send a complete file')
    res.destroy()
  })
}

/** Returns the ID of the invitation that the link is for; null for a link to the vendor's whole portal. */
function invitationIdOf({ id, subjectId }: Principal): string | null {
  return subjectId === id ? null : subjectId
}
