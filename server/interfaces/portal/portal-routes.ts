import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { Logger } from 'pino'
import type { PortalVisit } from '../../../client/contract.gen.ts'
import { type Call, createCall, type Principal, type Services } from '../../platform/calls/call.ts'
import { getClientAddress } from '../../platform/calls/client-address.ts'
import type { OperationId } from '../../platform/calls/contract.ts'
import { FileResponse } from '../../platform/calls/file-response.ts'
import { redactPath } from '../../platform/calls/redact-path.ts'
import { getRequestId } from '../../platform/calls/request-id.ts'
import { authenticateVendor, findLinkOwner } from '../../platform/keys/portal-authenticator.ts'
import type { FailureLog } from '../../platform/problems/failure-log.ts'
import { notFound, type Problem, toProblem } from '../../platform/problems/problem.ts'
import type { SentForm } from './forms/form-body.ts'
import { type Notice, toProblemNotice } from './forms/problem-notices.ts'
import {
  createFormToken,
  findReturnedForm,
  isFormToken,
  type ReturnedForm,
  storeReturnedForm,
} from './forms/returned-forms.ts'
import { readSentForm } from './forms/sent-form.ts'
import { getPage, type PageResult } from './get-page.ts'
import { addLinkListRoutes } from './link-list/link-list-routes.ts'
import { getSubjectKind } from './page-subject.ts'
import { renderNoticePage } from './pages/html.ts'
import { getConflictSentence, type PageContext } from './pages/page-context.ts'
import { LANGUAGES } from './pages/words/page-locale.ts'
import { openInvitationFile, openOrderFile } from './portal-attachments.ts'
import { openDrawing } from './portal-drawing.ts'
import { createPortalWaiverPdf } from './portal-lien-waiver.ts'
import { createPortalOrderPdf } from './portal-order.ts'
import { openPunchPhoto } from './portal-punch-item.ts'
import { openVisitPhoto } from './portal-visit.ts'
import { createEarlySaver, type FormTarget, getFormOperation, postForm } from './post-form.ts'
import {
  createPageReader,
  isPreview,
  redirect,
  sendFile,
  sendPage,
  showPreview,
  storeLanguage,
} from './responses/page-responses.ts'

/**
 * Dependencies of the routes for the pages of the vendor portal. Anyone who has a portal link acts as the vendor. The
 * pages call only operations that the contract allows for vendors.
 */
interface PortalRouteParts {
  services: Services
  log: Logger
  failures: FailureLog
}

/** Fields of the log line for a finished page request. They are the same as for every other request. */
interface PageRequest {
  requestId: string
  address: string
  principal: Principal | null
  call: Call | null
}

// The maximum size in bytes of a form without a file. The longest such form contains a message.
const MAX_FORM_BYTES = 32 * 1024

// The first path is for the overview. The second path is for another page of the vendor's whole portal or for an
// invitation. The third path is for a page below one of these, such as `review`.
const PAGE_PATHS = ['/portal/:token', '/portal/:token/:subject', '/portal/:token/:subject/:part']

export function createPortalRoutes(parts: PortalRouteParts): Router {
  const routes = express.Router()
  routes.use('/portal', (req, res, next) => {
    const visit: PageRequest = {
      requestId: getRequestId(req),
      address: getClientAddress(req),
      principal: null,
      call: null,
    }
    res.locals.visit = visit
    logWhenFinished(parts, req, res, visit)
    next()
  })
  routes.use('/portal', (req, res, next) => {
    if (isPreview(req)) return showPreview(parts.services, req, res)
    return next()
  })
  addLinkListRoutes(routes, parts.services, (req, res, error) => respondWithProblem(parts, req, res, error))
  routes.get('/portal/:token/:subject/files/:attachmentId', (req, res) => {
    const [subject, attachmentId] = [String(req.params.subject), String(req.params.attachmentId)]
    const kind = getSubjectKind(subject)
    if (kind === 'punch')
      return respond(parts, req, res, (call) => openPunchPhoto(call, subject, attachmentId), PICTURES)
    if (kind === 'visit')
      return respond(parts, req, res, (call) => openVisitPhoto(call, subject, attachmentId), PICTURES)
    return respond(parts, req, res, (call) =>
      kind === 'order' ? openOrderFile(call, subject, attachmentId) : openInvitationFile(call, subject, attachmentId),
    )
  })
  routes.get('/portal/:token/:subject/file', (req, res) =>
    respond(parts, req, res, (call) => openDrawing(call, String(req.params.subject))),
  )
  routes.get('/portal/:token/:subject/pdf', (req, res) =>
    respond(parts, req, res, (call) => {
      const subject = String(req.params.subject)
      return getSubjectKind(subject) === 'waiver'
        ? createPortalWaiverPdf(call, subject)
        : createPortalOrderPdf(call, subject)
    }),
  )
  routes.get(PAGE_PATHS, (req, res) => {
    const chosen = LANGUAGES.find((language) => language === req.query.language)
    if (chosen !== undefined) return storeLanguage(parts.services, req, res, chosen)
    return respond(parts, req, res, async (call, requested) => {
      const returned = await findReturnedForm(call, getLink(req), req.query.retry)
      const shown = await getPage(call, { ...requested, query: req.query }, (visit) =>
        toPageContext(req, call, visit, returned),
      )
      return returned === null || 'to' in shown ? shown : { ...shown, status: returned.status }
    })
  })
  routes.post(PAGE_PATHS, express.urlencoded({ extended: false, limit: MAX_FORM_BYTES }), (req, res) =>
    respond(parts, req, res, async (call, { subject, part }) => {
      if (subject === null) throw notFound()
      const target = { root: portalRoot(req), subject, part, here: req.path }
      const early = createEarlySaver(call, target)
      const sent = await readSentForm(parts.services, req, early?.save).finally(() => early?.saved())
      try {
        return await postForm(call, target, sent)
      } catch (error) {
        return await giveBack(call, getLink(req), target, sent.fields, toProblem(error))
      } finally {
        await sent.file?.discard()
      }
    }),
  )
  routes.use('/portal', (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    // No page has a path that cannot be decoded. Any other error means that a form is too long or malformed.
    if (error instanceof URIError) return respondWithLinkNotice(parts, req, res, 404, 'notFound')
    const { status = 400 } = error as { status?: number }
    return respondWithLinkNotice(parts, req, res, status, status === 413 ? 'tooLong' : 'wrongForm')
  })
  return routes
}

/**
 * Returns the operation that a request for a page calls: the operation that downloads a file, or the operation that
 * opens the page.
 */
function operationForPage(subject: string, part: string): OperationId {
  if (part === 'pdf') return getSubjectKind(subject) === 'waiver' ? 'getPortalLienWaiverPdf' : 'getPortalOrderPdf'
  if (part === 'file') return 'downloadPortalDrawing'
  if (part !== 'files') return 'openPortal'
  const kind = getSubjectKind(subject)
  if (kind === 'punch') return 'downloadPortalPunchPhoto'
  if (kind === 'visit') return 'downloadPortalVisitPhoto'
  return kind === 'order' ? 'downloadPortalOrderAttachment' : 'downloadPortalAttachment'
}

function logWhenFinished({ log }: PortalRouteParts, req: Request, res: Response, visit: PageRequest): void {
  const started = performance.now()
  const [, , token = '', subject = '', part = ''] = `${req.baseUrl}${req.path}`.split('/')
  const operationForRequest = req.method === 'POST' ? getFormOperation : operationForPage
  const operationId = token === 'links' ? undefined : operationForRequest(subject, part)
  res.once('finish', () => {
    const { requestId, address, principal } = visit
    const ms = Math.round((performance.now() - started) * 100) / 100
    const by = { callerId: principal?.id, subjectId: principal?.subjectId ?? undefined }
    const line = { requestId, address, operationId, ...by, method: req.method, path: redactPath(req.originalUrl) }
    log.info({ ...line, status: res.statusCode, ms }, 'request')
  })
}

/** Determines which limits apply to a request. */
interface CountedAs {
  isPicture: boolean
}

const PICTURES: CountedAs = { isPicture: true }

interface RequestedPage {
  subject: string | null
  part: string | null
}

/** Authenticates the token. Sends the page or file that `make` returns, or redirects to the URL that it returns. */
async function respond(
  parts: PortalRouteParts,
  req: Request,
  res: Response,
  make: (call: Call, requested: RequestedPage) => Promise<PageResult | FileResponse>,
  { isPicture }: CountedAs = { isPicture: false },
): Promise<void> {
  const visit = res.locals.visit as PageRequest
  const { services } = parts
  try {
    await (isPicture ? services.limits.takePictureVisit(visit.address) : services.limits.takeVisit(visit.address))
    const { token, subject, part } = req.params
    const principal = await authenticateVendor(services, String(token))
    visit.principal = principal
    await (isPicture ? services.limits.takePicture(principal) : services.limits.take(principal))
    const { requestId, address } = visit
    const call = createCall(services, { principal, requestId, address })
    visit.call = call
    const requested = {
      subject: subject === undefined ? invitationIdOf(principal) : String(subject),
      part: part === undefined ? null : String(part),
    }
    const shown = await make(call, requested)
    if (shown instanceof FileResponse) await sendFile(parts.log, res, shown)
    else if ('to' in shown) redirect(req, res, shown.to)
    else await sendPage(req, res, shown.status ?? 200, shown.html)
  } catch (error) {
    await respondWithProblem(parts, req, res, error)
  }
}

async function respondWithProblem(parts: PortalRouteParts, req: Request, res: Response, error: unknown): Promise<void> {
  const refused = toProblem(error)
  const { requestId } = res.locals.visit as PageRequest
  if (refused.status >= 500) parts.failures.report(error, { requestId }, refused.code)
  const retryAfter = refused.headers['Retry-After']
  if (retryAfter !== undefined) res.set('Retry-After', retryAfter)
  const { status, notice } = toProblemNotice(refused)
  await respondWithLinkNotice(parts, req, res, status, notice, refused)
}

/**
 * Sends a short page that explains why the requested page cannot be shown. If a builder issued the link, the page shows
 * the builder's name, even if the link is no longer valid.
 */
async function respondWithLinkNotice(
  { services }: PortalRouteParts,
  req: Request,
  res: Response,
  status: number,
  notice: Notice,
  /**
   * A problem for which the page may have a specific message, by the reason of the conflict. This message replaces the
   * text of the notice.
   */
  refused: Problem | null = null,
): Promise<void> {
  const { call } = res.locals.visit as PageRequest
  // Without the database, the page shows only the error, without the builder's name.
  const owner = status >= 500 ? null : await findLinkOwner(services.database, getLink(req)).catch(() => null)
  const reader = createPageReader(services, req, owner?.language ?? null, services.clock.now())
  const [title = '', message = ''] = reader.words.notices[notice]
  const said = notice === 'tooLate' ? getConflictSentence(refused?.extras.reason ?? null, reader.words) : undefined
  const isLinkInvalid = call === null && LINK_NOTICES.has(notice)
  const html = renderNoticePage(reader, {
    ...{ title, message: said ?? message, contact: owner },
    back: isLinkInvalid ? null : req.method === 'POST' ? req.originalUrl : portalRoot(req),
    canRequestLinks: isLinkInvalid && services.config.mail !== null,
  })
  await sendPage(req, res, status, html)
}

/** The notices about links that are invalid or no longer valid. */
const LINK_NOTICES: ReadonlySet<Notice> = new Set(['notFound', 'expired', 'revoked'])

function toPageContext(
  req: Request,
  call: Call,
  { builder, vendor, invitationId, language, builderPhone }: PortalVisit,
  returned: ReturnedForm | null,
): PageContext {
  const root = portalRoot(req)
  return {
    reader: createPageReader(call.services, req, language, call.now),
    ...{ builder: builder.name, phone: builderPhone, vendor: vendor.companyName, now: call.now, root, here: req.path },
    isWhole: invitationId === null,
    returned,
  }
}

function portalRoot(req: Request): string {
  return `/portal/${getLink(req)}`
}

function getLink(req: Request): string {
  // After an error in a form, Express no longer provides the parameters of the route.
  return String(req.params.token ?? req.originalUrl.split(/[/?]/)[2])
}

/**
 * Stores a form that was not accepted and redirects to its page, which shows the error and the user's entries. Throws
 * the problem if the page itself cannot be shown.
 */
async function giveBack(
  call: Call,
  link: string,
  { here }: FormTarget,
  fields: SentForm['fields'],
  problem: Problem,
): Promise<PageResult> {
  const isReturned = [409, 413, 422].includes(problem.status) || problem.code === 'too_many_answers'
  if (!isReturned || problem.code === 'unknown_reference') throw problem
  const { notice, status } = toProblemNotice(problem)
  const token = isFormToken(fields.once) ? fields.once : createFormToken()
  await storeReturnedForm(call, link, token, { fields, notice, status, reason: problem.extras.reason ?? null })
  return { to: `${here}?retry=${token}` }
}

/** Returns the ID of the invitation that the link opens; null if the link opens the vendor's whole portal. */
function invitationIdOf({ id, subjectId }: Principal): string | null {
  return subjectId === id ? null : subjectId
}
