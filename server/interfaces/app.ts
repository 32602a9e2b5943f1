import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express, { type Express, type NextFunction, type Request, type Response } from 'express'
import type { Logger } from 'pino'
import { createLinkRequestQueue } from '../domain/administration/sign-in/link-requests.ts'
import { mailSignInLink } from '../domain/administration/sign-in/mail-sign-in-link.ts'
import { recordRolledBackBidOpenings, recordUnreportedChanges } from '../platform/audit/record-audit-entries.ts'
import { createRejectionRecorder } from '../platform/audit/rejection-recorder.ts'
import type { Principal, Services } from '../platform/calls/call.ts'
import { getClientAddress, getPeerAddress } from '../platform/calls/client-address.ts'
import { type Contract, ContractError, type Operation, type OperationId } from '../platform/calls/contract.ts'
import { createCors } from '../platform/calls/cors.ts'
import { mergeNoticeHeaders } from '../platform/calls/deprecation.ts'
import { matchesEtag } from '../platform/calls/etag.ts'
import type { Handlers } from '../platform/calls/operation.ts'
import { redactPath } from '../platform/calls/redact-path.ts'
import type { RepeatRulesByOperation } from '../platform/calls/repeated-response.ts'
import { createRequestId, getRequestId } from '../platform/calls/request-id.ts'
import type { Config } from '../platform/config/config.ts'
import type { Database } from '../platform/database/database.ts'
import { createEventWaits } from '../platform/events/event-waits.ts'
import { storePendingRows } from '../platform/events/pending-rows.ts'
import { openFiles } from '../platform/files/files.ts'
import { createAuthenticator } from '../platform/keys/authenticator.ts'
import { createIdentityService } from '../platform/keys/identity.ts'
import { createConcurrencyLimits as countUnderWay } from '../platform/limits/concurrency-limits.ts'
import { createRateLimits as createLimits, type RateLimits } from '../platform/limits/rate-limits.ts'
import { createUsageCounts, type UsageCounts } from '../platform/limits/usage-counts.ts'
import type { FailureLog } from '../platform/problems/failure-log.ts'
import { Problem, problem, toProblem } from '../platform/problems/problem.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { assertOperationPermitted, createDispatcher, type HttpResponse } from './http/dispatch.ts'
import type { ExternalAccess } from './http/external-routes.ts'
import { findQueryProblem, findRequestProblem, toOriginForm, toParserProblem } from './http/malformed-request.ts'
import { discardRemainingBody, hasUnreadBody, readBody } from './http/request-body.ts'
import { createValidator, parseQuery, type Validator } from './http/request-validator.ts'
import { createResponseChecker, type ResponseCheck } from './http/response-check.ts'
import { mailOwnerLinks } from './owner/mail-owner-links.ts'
import { mailLinkList } from './portal/link-list/mail-link-list.ts'
import { proposer } from './proposals/proposer.ts'

export interface AppParts {
  config: Config
  contract: Contract
  handlers: Handlers
  repeats: RepeatRulesByOperation
  database: Database
  clock: Clock
  log: Logger
  failures: FailureLog
  /**
   * The validator to use. By default, the app compiles one from the contract. Several services can share a validator.
   */
  validator?: Validator
  answerCheck?: ResponseCheck
  /** Called after each commit that records events, with the number of events. */
  eventsCommitted(count: number): void
  /** Called after each commit that adds deliveries to send for a webhook subscription. */
  deliveriesDue(webhook: { organizationId: string; webhookId: string }): void
  /** Called after each request with its outcome. */
  requestEnded?(operationId: string | undefined, status: number, milliseconds: number): void
  /** Adds routes that are not part of the contract. */
  addRoutes?(express: Express, services: Services, access: ExternalAccess): void
}

export interface App {
  readonly express: Express
  readonly validator: Validator
  readonly limits: RateLimits
  readonly usage: UsageCounts
  readonly services: Services
  /** Responds to a request that Node could not parse, if the client is still connected, and closes the connection. */
  refuseUnread(error: Error, socket: Duplex): void
  /** Rejects a CONNECT request, for which Node would close the connection without a response. */
  refuseTunnel(socket: Duplex): void
  /** Adds `Connection: close` to every later response, so that clients close their connections. */
  drain(): void
}

/** The state of a request in progress, from which the request's log line is written. */
interface RequestState {
  requestId: string
  address: string
  operation: Operation | null
  principal: Principal | null
  /** Whether the request is in `underWay`, from which it must be removed when it ends. */
  isUnderWay: boolean
}

/**
 * Creates the app. The function `handle` below handles a request from the socket to the response, step by step. Each
 * step throws its failures, and `respond` converts them to problems.
 */
export function createApp(parts: AppParts): App {
  const { config, contract, handlers, repeats, database, clock, log, failures } = parts
  for (const id of contract.operations.keys()) {
    if (typeof handlers[id] !== 'function')
      throw new ContractError(`Expected a handler for operation ${id} of the contract.`)
  }
  const identity = createIdentityService({ database, clock, config })
  const authenticate = createAuthenticator(contract, { database, clock, config, identity })
  const limits = createLimits(database, clock, config)
  const usage = createUsageCounts(database, clock, failures)
  const underWay = countUnderWay(config)
  const { headersFor, preflightFor } = createCors(config.corsOrigins)
  const { validator = createValidator(contract) } = parts
  const services: Services = {
    contract,
    config,
    clock,
    database,
    limits,
    files: openFiles(config),
    identity,
    linkRequests: createLinkRequestQueue(failures, (email) => mailSignInLink(services, email)),
    linkListRequests: createLinkRequestQueue(failures, (email) => mailLinkList(services, email)),
    ownerLinkRequests: createLinkRequestQueue(failures, (email) => mailOwnerLinks(services, email)),
    eventWaits: createEventWaits(database),
    eventsCommitted: parts.eventsCommitted,
    deliveriesDue: parts.deliveriesDue,
    recordChanges: recordUnreportedChanges,
    recordUndoneOpenings: recordRolledBackBidOpenings,
    storeRecorded: storePendingRows,
    operate: (call, id, input) => operate(call, id, input),
  }
  const { perform, operate } = createDispatcher({ contract, handlers, repeats, validator, services, proposer })
  const checkAnswer = config.checkAnswers ? (parts.answerCheck ?? createResponseChecker(contract)) : null
  const recordRefusal = createRejectionRecorder({ database, clock, failures })
  let draining = false

  async function handle(req: Request, res: Response, url: string, requestState: RequestState): Promise<HttpResponse> {
    const odd = findRequestProblem(req) ?? findQueryProblem(url)
    if (odd !== null) throw odd
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET')
    const found = contract.match(method, getPath(url))
    if (found.operation === null) throw notFoundOrNotAllowed(found.allow, method)
    const { operation, params } = found
    requestState.operation = operation
    if (operation.schemes.has('portalToken')) await limits.takeVisit(requestState.address)
    const principal = await authenticate(operation, req.headers, requestState.address)
    requestState.principal = principal
    underWay.begin(principal)
    requestState.isUnderWay = true
    await limits.take(principal)
    assertOperationPermitted(principal, operation)
    req.params = params
    req.body = await readBody(req, operation)
    return perform(operation, req, res, { principal, requestId: requestState.requestId, address: requestState.address })
  }

  async function respond(req: Request, res: Response): Promise<void> {
    const started = performance.now()
    const url = req.url ?? '/'
    const requestState = requestStateOf(req)
    let response: HttpResponse
    let file: Readable | undefined
    try {
      response = await handle(req, res, url, requestState)
      // Any write can respond with a proposal instead. The contract declares this response only once, in
      // createProposal.
      const asMade = response.isProposal === true ? contract.operations.get('createProposal') : undefined
      if (asMade !== undefined) checkAnswer?.(asMade, { ...response, status: 201, etag: '"1"' })
      else checkAnswer?.(requestState.operation, response)
      if (isUnchanged(req, requestState.operation, response)) {
        const { file: _known, ...rest } = response
        response = { ...rest, status: 304, text: null }
      }
      // Opens the file before anything is sent, so that the service can still respond with a problem if opening fails.
      if (req.method !== 'HEAD') file = await response.file?.open()
    } catch (error) {
      response = refusal(error, url, requestState)
      if (response.status === 401 || response.status === 403) await recordRefusal(toProblem(error), requestState)
    } finally {
      if (requestState.isUnderWay && requestState.principal !== null) underWay.end(requestState.principal)
    }
    if (requestState.principal?.kind === 'key') usage.count(requestState.principal, response.status === 429)
    write(req, res, response, requestState, file)
    const ms = Math.round((performance.now() - started) * 100) / 100
    const { requestId, address, operation, principal } = requestState
    const line = { requestId, address, operationId: operation?.id, callerId: principal?.id }
    // The vendor's email address that was used for a portal request. Absent for all other requests.
    const subjectId = principal?.subjectId ?? undefined
    const path = redactPath(url)
    log.info({ ...line, subjectId, method: req.method, path, status: response.status, ms }, 'request')
    parts.requestEnded?.(operation?.id, response.status, ms)
  }

  const access: ExternalAccess = {
    async visit(req, res, as, work, challenge) {
      const started = performance.now()
      const requestState = requestStateOf(req)
      const operation = contract.operations.get(as)
      if (operation === undefined) throw new ContractError(`Expected the contract to have an operation ${as}.`)
      let running: string = as
      try {
        // Ignores cookies, because a browser also sends them with requests from other sites. They never authenticate a
        // request to the API.
        const { cookie: _, ...headers } = req.headers
        const principal = await authenticate(operation, headers, requestState.address)
        requestState.principal = principal
        underWay.begin(principal)
        requestState.isUnderWay = true
        await limits.take(principal)
        const body = req.method === 'POST' ? await readBody(req, operation) : undefined
        res.set({ ...always(requestState.requestId), ...limits.headers(principal) } as Record<string, string>)
        if (req.headers.origin !== undefined) res.set(headersFor(req) as Record<string, string>)
        const { requestId, address } = requestState
        await work({
          ...{ principal, requestId, address, body },
          running(name) {
            running = name
          },
          async refused(error) {
            const { status } = refusal(error, req.path, { ...requestState, operation: null })
            if (status === 403) await recordRefusal(toProblem(error), requestState)
          },
        })
      } catch (error) {
        const response = refusal(error, req.path, requestState)
        if (response.status === 401 || response.status === 403) await recordRefusal(toProblem(error), requestState)
        const requested = response.headers['WWW-Authenticate']
        if (challenge !== undefined && requested !== undefined)
          response.headers['WWW-Authenticate'] = `${requested}, ${challenge}`
        if (res.headersSent) res.destroy()
        else write(req, res, response, requestState)
      } finally {
        if (requestState.isUnderWay && requestState.principal !== null) underWay.end(requestState.principal)
      }
      const ms = Math.round((performance.now() - started) * 100) / 100
      const { requestId, address, principal } = requestState
      const line = { requestId, address, operationId: running, callerId: principal?.id }
      const path = redactPath(req.originalUrl)
      log.info({ ...line, method: req.method, path, status: res.statusCode, ms }, 'request')
      parts.requestEnded?.(contract.operations.has(running as OperationId) ? running : as, res.statusCode, ms)
    },
  }

  function refusal(error: unknown, url: string, requestState: RequestState): HttpResponse {
    const refused = toProblem(error)
    // The response says only that the request failed, so the log must record the reason.
    if (refused.status >= 500)
      failures.report(
        error,
        { requestId: requestState.requestId, operationId: requestState.operation?.id },
        refused.code,
      )
    const body = refused.body({
      publicUrl: config.publicUrl,
      instance: getPath(url),
      requestId: requestState.requestId,
    })
    const response = {
      status: refused.status,
      headers: { ...refused.headers },
      text: JSON.stringify(body),
      etag: undefined,
      type: 'application/problem+json',
    }
    checkAnswer?.(requestState.operation, response)
    return response
  }

  function always(requestId: string): Record<string, string | number> {
    return {
      'X-Request-Id': requestId,
      'Api-Version': contract.version,
      // A response is meant for one builder. It must not be cached or interpreted as another media type.
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    }
  }

  function refuseUnread(error: Error & { code?: unknown }, socket: Duplex): void {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    // If an earlier request on this connection has no complete response yet, the client would read anything written now
    // as that response.
    const before = pendingResponseOn(socket)
    if (before?.req.complete === true) closeAfterResponses(socket)
    else if (before?.headersSent === true) socket.end(() => socket.destroy())
    else answerUnrouted(toParserProblem(error), socket, error.code)
  }

  function refuseTunnel(socket: Duplex): void {
    const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
    const refused = new Problem(
      'method_not_allowed',
      `CONNECT is not supported. Use one of these methods: ${methods}.`,
      {},
      { Allow: methods },
    )
    answerUnrouted(refused, socket, 'CONNECT')
  }

  /** Responds to a request that never reaches Express, and closes the connection. */
  function answerUnrouted(problem: Problem, socket: Duplex, reason: unknown): void {
    const requestState: RequestState = {
      requestId: createRequestId(),
      address: getPeerAddress(socket),
      operation: null,
      principal: null,
      isUnderWay: false,
    }
    const { status, headers, text } = refusal(problem, '/', requestState)
    const body = text ?? ''
    const fields = Object.entries({
      ...always(requestState.requestId),
      ...headers,
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      Date: new Date().toUTCString(),
      Connection: 'close',
    })
    const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields.map(([name, value]) => `${name}: ${value}`)]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
    log.info({ requestId: requestState.requestId, address: requestState.address, status, reason }, 'unreadable request')
    parts.requestEnded?.(undefined, status, 0)
  }

  function write(
    req: IncomingMessage,
    res: ServerResponse,
    response: HttpResponse,
    requestState: RequestState,
    file: Readable | undefined = undefined,
  ): void {
    let headers: Record<string, string | number> = {
      ...always(requestState.requestId),
      ...(requestState.principal !== null && limits.headers(requestState.principal)),
      ...response.headers,
    }
    const notice = requestState.operation?.notice
    if (notice) headers = mergeNoticeHeaders(headers, notice)
    if (response.etag !== undefined) headers.ETag = response.etag
    const text = req.method === 'HEAD' ? null : response.text
    const bytes = Buffer.byteLength(response.text ?? '')
    if (response.text !== null) {
      headers['Content-Type'] = response.type ?? 'application/json; charset=utf-8'
      headers['Content-Length'] = bytes
    }
    if (response.file !== undefined) {
      headers['Content-Type'] = response.type ?? 'application/octet-stream'
      headers['Content-Length'] = response.file.length
    }
    // Only browsers send an Origin header.
    if (req.headers.origin !== undefined) Object.assign(headers, headersFor(req))
    if (draining) headers.Connection = 'close'
    res.writeHead(response.status, headers)
    if (hasUnreadBody(req) && file === undefined) {
      if (text === null) res.flushHeaders()
      else res.write(text)
      discardRemainingBody(req, () => res.end())
      return
    }
    // If the text has one byte per character, it is ASCII. Encoding ASCII as latin1 produces the same bytes and is
    // faster.
    if (file !== undefined) sendFile(file, res, requestState)
    else if (text === null) res.end()
    else if (bytes === text.length) res.end(text, 'latin1')
    // Writes large responses as bytes, because Node measures unsent output in bytes for buffers but in characters for
    // strings.
    else if (bytes > LARGE_BYTES) res.end(Buffer.from(text))
    else res.end(text, 'utf8')
  }

  // Streams a file. If reading fails, the status has already been sent, so the function can only close the connection.
  function sendFile(file: Readable, res: ServerResponse, { requestId, operation }: RequestState): void {
    // If the response were longer than its declared length, the client would read the rest as the next response.
    res.strictContentLength = true
    pipeline(file, res).catch((error: unknown) => {
      const hungUp = (error as { code?: unknown }).code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!hungUp) log.error({ err: error, requestId, operationId: operation?.id }, 'could not send a file')
      res.destroy()
    })
  }

  const app = express().disable('x-powered-by').disable('etag').set('query parser', parseQuery)
  app.set('trust proxy', config.trustedProxies)
  app.use((req, res, next) => {
    if (!req.url.startsWith('/')) req.originalUrl = req.url = toOriginForm(req.url)
    const preflight = req.method === 'OPTIONS' ? preflightFor(req) : null
    if (preflight !== null) res.writeHead(204, preflight).end()
    else if (req.url.startsWith('/api/') || findRequestProblem(req) !== null) respond(req, res).catch(next)
    else next()
  })
  parts.addRoutes?.(app, services, access)
  // Responds to an unknown path with a problem instead of Express's page.
  app.use((req, res, next) => {
    respond(req, res).catch(next)
  })
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const requestState = requestStateOf(req)
    if (res.headersSent) res.destroy()
    else write(req, res, refusal(error, req.url, requestState), requestState)
  })
  return {
    express: app,
    validator,
    limits,
    usage,
    services,
    refuseUnread,
    refuseTunnel,
    drain() {
      draining = true
      services.eventWaits.stop()
    },
  }
}

const LARGE_BYTES = 64 * 1024

/** Returns the response that the connection is waiting for or writing; undefined or null if there is none. */
function pendingResponseOn(socket: Duplex): ServerResponse | null | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage
}

const closing = new WeakSet<Duplex>()

/**
 * Closes a connection on which unreadable data arrived after complete requests. Waits until those requests have their
 * responses. More data may arrive in the meantime, and this function is then called again.
 */
function closeAfterResponses(socket: Duplex): void {
  if (closing.has(socket)) return
  closing.add(socket)
  const next = () => {
    const response = pendingResponseOn(socket)
    if (response === undefined || response === null) socket.end(() => socket.destroy())
    else response.once('close', next)
  }
  next()
}

function requestStateOf(req: Request): RequestState {
  return {
    requestId: getRequestId(req),
    address: getClientAddress(req),
    operation: null,
    principal: null,
    isUnderWay: false,
  }
}

function getPath(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

function notFoundOrNotAllowed(allow: readonly string[], method: string): Problem {
  if (allow.length === 0)
    return problem('unknown_path', 'Unknown path. See /api/ext/schema/openapi.json for all paths.')
  const methods = allow.includes('GET') ? [...allow, 'HEAD'] : allow
  return new Problem(
    'method_not_allowed',
    `${method} is not supported on this path. Use one of these methods: ${methods.join(', ')}.`,
    {},
    { Allow: methods.join(', ') },
  )
}

// Returns whether to respond with 304. Requires that the contract declares 304 for the operation, because a write must
// never be answered with "not modified".
function isUnchanged(req: IncomingMessage, operation: Operation | null, { status, etag }: HttpResponse): boolean {
  const header = req.headers['if-none-match']
  if (header === undefined || etag === undefined || status !== 200) return false
  return operation?.headers.has('if-none-match') === true && matchesEtag(header, etag)
}
