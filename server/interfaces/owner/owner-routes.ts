import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import { createImage } from '../../domain/attachments/create-image.ts'
import { createDownload } from '../../domain/attachments/download-file.ts'
import { storePageVisit } from '../../domain/land/home-owners/queries.ts'
import { type Call, createCall, type Principal, type Services } from '../../platform/calls/call.ts'
import { getClientAddress } from '../../platform/calls/client-address.ts'
import { FileResponse } from '../../platform/calls/file-response.ts'
import { redactPath } from '../../platform/calls/redact-path.ts'
import { getRequestId } from '../../platform/calls/request-id.ts'
import { authenticateHomeOwner } from '../../platform/keys/owner-links.ts'
import type { FailureLog } from '../../platform/problems/failure-log.ts'
import { notFound, toProblem } from '../../platform/problems/problem.ts'
import { toProblemNotice } from '../portal/forms/problem-notices.ts'
import { createFormToken, findReturnedForm, isFormToken, storeReturnedForm } from '../portal/forms/returned-forms.ts'
import { readSentForm } from '../portal/forms/sent-form.ts'
import type { PageResult } from '../portal/get-page.ts'
import { chooseLanguage, createPageLocale, LANGUAGES } from '../portal/pages/words/page-locale.ts'
import {
  createPageReader,
  isPreview,
  readAcceptedLanguage,
  readLanguageCookie,
  redirect,
  respondWithNotice,
  sendFile,
  sendPage,
  showPreview,
  storeLanguage,
} from '../portal/responses/page-responses.ts'
import { getOwnerPage, toOwnerPage } from './get-owner-page.ts'
import { renderLostLinkPage } from './link-request-pages.ts'
import { addLinkRequestRoutes } from './link-request-routes.ts'
import { findOwner, findOwnFile } from './own-records.ts'
import { postOwnerForm } from './post-owner-form.ts'
import { createSignedPdf } from './signed-text.ts'

/**
 * Dependencies of the routes for the pages that home owners open with their links. Anyone who has a link acts as the
 * owner. The pages limit the owner's access to the records of one home (see own-records.ts).
 */
interface OwnerRouteParts {
  services: Services
  log: Logger
  failures: FailureLog
}

/** Fields of the log line for a completed page request. */
interface OwnerRequest {
  requestId: string
  address: string
  principal: Principal | null
}

// The maximum size in bytes of a form without a file. The longest such form contains a message.
const MAX_FORM_BYTES = 32 * 1024
const VISIT_INTERVAL_MS = 60 * 60 * 1000
const PAGE_PATHS = ['/owner/:token', '/owner/:token/:subject']

export function createOwnerRoutes(parts: OwnerRouteParts): Router {
  const routes = express.Router()
  routes.use('/owner', (req, res, next) => {
    const visit: OwnerRequest = { requestId: getRequestId(req), address: getClientAddress(req), principal: null }
    res.locals.visit = visit
    logWhenFinished(parts, req, res, visit)
    next()
  })
  routes.use('/owner', (req, res, next) => {
    if (isPreview(req)) return showPreview(parts.services, req, res)
    return next()
  })
  addLinkRequestRoutes(routes, parts.services, (req, res, error) => refuse(parts, req, res, error))
  routes.get('/owner/:token/photos/:attachmentId', (req, res) =>
    respond(
      parts,
      req,
      res,
      async (call) => {
        const photo = await findOwnFile(call, String(req.params.attachmentId))
        return createImage(call, photo, req.query.size === 'screen' ? 'screen' : 'thumb')
      },
      { isPicture: true },
    ),
  )
  routes.get('/owner/:token/files/:attachmentId', (req, res) =>
    respond(parts, req, res, async (call) =>
      createDownload(call, await findOwnFile(call, String(req.params.attachmentId))),
    ),
  )
  routes.get('/owner/:token/:subject/signed.pdf', (req, res) =>
    respond(parts, req, res, (call) => createSignedPdf(call, String(req.params.subject))),
  )
  routes.get(PAGE_PATHS, (req, res) => {
    const chosen = LANGUAGES.find((language) => language === req.query.language)
    if (chosen !== undefined) return storeLanguage(parts.services, req, res, chosen)
    return respond(parts, req, res, async (call, subject) => {
      const returned = await findReturnedForm(call, getLink(req), req.query.retry)
      const shown = await getOwnerPage(call, subject, {
        ...(await toContext(call, req)),
        returned,
      })
      return returned === null || 'to' in shown ? shown : { ...shown, status: returned.status }
    })
  })
  routes.post(PAGE_PATHS, express.urlencoded({ extended: false, limit: MAX_FORM_BYTES }), (req, res) =>
    respond(parts, req, res, async (call, subject) => {
      if (subject === null) throw notFound()
      const sent = await readSentForm(parts.services, req)
      try {
        const loadPage = async () => toOwnerPage(call, { ...(await toContext(call, req)), returned: null })
        return await postOwnerForm(call, { root: rootOf(req), subject, here: req.path, loadPage }, sent)
      } catch (error) {
        return await giveBack(call, req, sent.fields, error)
      } finally {
        await sent.file?.discard()
      }
    }),
  )
  routes.use('/owner', (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    // No page has a path that cannot be decoded. Any other error means that a form is too long or malformed.
    if (error instanceof URIError) return respondWithNotice(parts.services, req, res, 404, 'notFound', null)
    const { status = 400 } = error as { status?: number }
    return respondWithNotice(parts.services, req, res, status, status === 413 ? 'tooLong' : 'wrongForm', null)
  })
  return routes
}

function logWhenFinished({ log }: OwnerRouteParts, req: Request, res: Response, visit: OwnerRequest): void {
  const started = performance.now()
  res.once('finish', () => {
    const { requestId, address, principal } = visit
    const ms = Math.round((performance.now() - started) * 100) / 100
    const by = { callerId: principal?.id, subjectId: principal?.subjectId ?? undefined }
    const line = { requestId, address, page: 'owner', ...by, method: req.method, path: redactPath(req.originalUrl) }
    log.info({ ...line, status: res.statusCode, ms }, 'request')
  })
}

/** Authenticates the token. Sends the page or file that `make` returns, or redirects to the URL that it returns. */
async function respond(
  parts: OwnerRouteParts,
  req: Request,
  res: Response,
  make: (call: Call, subject: string | null) => Promise<PageResult | FileResponse>,
  { isPicture } = { isPicture: false },
): Promise<void> {
  const { services, log } = parts
  const visit = res.locals.visit as OwnerRequest
  const { requestId, address } = visit
  try {
    await (isPicture ? services.limits.takePictureVisit(address) : services.limits.takeVisit(address))
    const { token, subject } = req.params
    const principal = await authenticateHomeOwner(services, String(token))
    visit.principal = principal
    await (isPicture ? services.limits.takePicture(principal) : services.limits.take(principal))
    const call = createCall(services, { principal, requestId, address })
    const shown = await make(call, subject === undefined ? null : String(subject))
    if (shown instanceof FileResponse) await sendFile(log, res, shown)
    else if ('to' in shown) redirect(req, res, shown.to)
    else await sendPage(req, res, shown.status ?? 200, shown.html, { hasImages: true })
  } catch (error) {
    await refuse(parts, req, res, error)
  }
}

/** Explains why the page cannot be shown. The owner of a link that no longer works can request a new one. */
async function refuse(
  { services, failures }: OwnerRouteParts,
  req: Request,
  res: Response,
  error: unknown,
): Promise<void> {
  const refused = toProblem(error)
  if (refused.status >= 500)
    failures.report(error, { requestId: (res.locals.visit as OwnerRequest).requestId }, refused.code)
  const retryAfter = refused.headers['Retry-After']
  if (retryAfter !== undefined) res.set('Retry-After', retryAfter)
  const { status, notice } = toProblemNotice(refused)
  const canRequestLink = LINK_CODES.includes(refused.code) && services.config.mail !== null
  if (!canRequestLink) return respondWithNotice(services, req, res, status, notice, null)
  const reader = createPageReader(services, req, null, services.clock.now())
  await sendPage(req, res, status, renderLostLinkPage(reader, notice))
}

/** Problems of a link that a new link solves. */
const LINK_CODES: readonly string[] = ['invalid_key', 'revoked_token', 'expired_token']

async function toContext(call: Call, req: Request) {
  const owner = await findOwner(call)
  if (owner.lastVisitAt === null || call.now.getTime() - Date.parse(owner.lastVisitAt) > VISIT_INTERVAL_MS)
    await call.write((call) => storePageVisit(call, owner.id, call.now))
  const language = chooseLanguage(readLanguageCookie(call.services, req), owner.language, readAcceptedLanguage(req))
  return {
    reader: createPageLocale(language, call.now),
    ...{ builder: call.principal.organization.name, phone: null, vendor: owner.name, now: call.now },
    ...{ root: rootOf(req), here: req.path, isWhole: true },
  }
}

function rootOf(req: Request): string {
  return `/owner/${req.params.token}`
}

function getLink(req: Request): string {
  return String(req.params.token)
}

/**
 * Stores a form that was not accepted and redirects to its page, which shows the error and the user's entries. Throws
 * the error again if the user cannot correct the form.
 */
async function giveBack(
  call: Call,
  req: Request,
  fields: Readonly<Record<string, string>>,
  error: unknown,
): Promise<PageResult> {
  const problem = toProblem(error)
  if (![409, 413, 422].includes(problem.status) || problem.code === 'unknown_reference') throw error
  const { notice, status } = toProblemNotice(problem)
  const token = isFormToken(fields.once) ? fields.once : createFormToken()
  await storeReturnedForm(call, getLink(req), token, { fields, notice, status, reason: problem.extras.reason ?? null })
  return { to: `${req.path}?retry=${token}` }
}
