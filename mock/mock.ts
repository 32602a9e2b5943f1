import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import express, { type Request, type Response } from 'express'
import { toOriginForm } from '../server/interfaces/http/malformed-request.ts'
import { discardRemainingBody, hasUnreadBody, readBody } from '../server/interfaces/http/request-body.ts'
import { createValidator, parseQuery } from '../server/interfaces/http/request-validator.ts'
import { buildLocationMap } from '../server/interfaces/http/resource-locations.ts'
import type { Contract, Operation, OperationId } from '../server/platform/calls/contract.ts'
import { createCors } from '../server/platform/calls/cors.ts'
import { mergeNoticeHeaders } from '../server/platform/calls/deprecation.ts'
import { computeEtag, matchesEtag } from '../server/platform/calls/etag.ts'
import { Upload } from '../server/platform/calls/upload.ts'
import { readSessionCookie } from '../server/platform/keys/session-cookie.ts'
import { Problem, problem } from '../server/platform/problems/problem.ts'
import { createLinkExpander } from './expand-links.ts'
import { readDelay, readPreference } from './preference.ts'
import { createPrism, type MockResponse, type Preference } from './prism.ts'
import type { ResponseMaker } from './response-makers.ts'

/**
 * Serves the contract with its own examples. A frontend, an agent, or an integration gets the same response as from the
 * service, as far as the response does not depend on stored data.
 *
 * Prism creates the responses. Prism's validation of requests is not used, because it differs from the contract, and a
 * malformed body makes Prism hang. Instead, the mock uses the parts of the service that need no data: those that route
 * the request, read its body, validate its input, and write problems. The mock therefore has no rules of its own.
 * test/mock/differences.txt lists the permitted differences from the service.
 */
export interface MockOptions {
  /** Whether responses are generated from the schemas by default. A request can choose otherwise. */
  dynamic?: boolean
  /** Called after each response. */
  onAnswer?: (method: string, url: string, status: number) => void
}

export function createMock(contract: Contract, { dynamic = false, onAnswer }: MockOptions = {}): RequestListener {
  const prism = createPrism(contract)
  const validator = createValidator(contract)
  const itemOf = buildLocationMap(contract)
  const links = createLinkExpander(contract)
  const publicUrl = contract.document.servers?.[0]?.url ?? ''
  // The skills are loaded only when needed, because loading them takes a second.
  let loading: Promise<ReadonlyMap<OperationId, ResponseMaker>> | undefined
  const makerOf = async ({ id }: Operation) => {
    if (!MADE_OPERATIONS.has(id)) return undefined
    loading ??= import('./response-makers.ts').then(({ createResponseMakers }) =>
      createResponseMakers(contract, prism, publicUrl),
    )
    return (await loading).get(id)
  }

  async function handle(
    req: Request,
    res: Response,
    url: string,
    requestState: { operation: Operation | null },
  ): Promise<MockResponse> {
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET')
    if (method === 'GET' && /^\/(docs\/?)?$/.test(getPath(url)))
      return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: DOCS_NOTICE }
    const found = contract.match(method, getPath(url))
    if (found.operation === null) throw notFoundOrNotAllowed(found.allow, method, getPath(url))
    const { operation, params } = found
    requestState.operation = operation
    checkCredential(operation, req.headers, publicUrl)
    req.params = params
    req.body = await readBody(req, operation)
    // If the validator has already checked an identical request, it leaves Express's own query unchanged.
    const input = await validator.check(operation, req, res)
    if (req.body instanceof Upload) for await (const _passed of req.body.chunks());
    const preferred = readPreference(contract, operation, req)
    const query = new URLSearchParams(url.slice(getPath(url).length))
    // The second page of a list is empty, so that a client that reads all pages stops.
    const isNextPage = query.has('cursor') && preferred.example === undefined && preferred.code === undefined
    const requested: Preference = isNextPage ? { example: 'empty' } : { dynamic, ...preferred }
    const response = await prism.answer(operation, requested)
    const isAsked = requested.dynamic === true || requested.example !== undefined || requested.code !== undefined
    const make = isAsked ? undefined : await makerOf(operation)
    const body =
      make === undefined
        ? response.body
        : await make({ path: params, query: input.query, body: req.body, shown: response.body })
    const { expand } = input.query
    const isExpanded = Array.isArray(expand) && response.status === 200
    return correctResponse(itemOf, operation, url, req, {
      ...response,
      body: isExpanded ? await links.shown(operation, expand.map(String), body) : body,
    })
  }

  /** Returns the response for a thrown problem, with the headers that the contract declares for its status. */
  async function refusal(
    error: unknown,
    url: string,
    requestId: string,
    operation: Operation | null,
  ): Promise<MockResponse> {
    const refused =
      error instanceof Problem
        ? error
        : problem('internal', `The mock failed with an unexpected error: ${String(error)}`)
    const isDeclared = operation !== null && String(refused.status) in operation.declaration.responses
    const { headers } = isDeclared ? await prism.answer(operation, { code: refused.status }) : { headers: {} }
    return {
      status: refused.status,
      headers: {
        ...(operation === null ? headers : omitDailyQuota(operation, headers)),
        ...lowerCaseNames(refused.headers),
        'content-type': 'application/problem+json',
      },
      body: refused.body({ publicUrl, instance: getPath(url), requestId }),
    }
  }

  async function respond(req: Request, res: Response): Promise<void> {
    if (!req.url.startsWith('/')) req.url = toOriginForm(req.url)
    const { url } = req
    const preflight = preflightFor(req)
    if (preflight !== null) return write(req, res, { status: 204, headers: lowerCaseNames(preflight), body: undefined })
    const requestId = getRequestId(req)
    const requestState: { operation: Operation | null } = { operation: null }
    const response = await handle(req, res, url, requestState).catch((error) =>
      refusal(error, url, requestId, requestState.operation),
    )
    const delay = readDelay(req, requestState.operation ?? undefined)
    if (delay > 0) await setTimeout(delay)
    const { requestId: shown = requestId } = (response.body ?? {}) as { requestId?: string }
    const own = {
      ...{ 'x-request-id': response.status < 400 ? requestId : shown, 'api-version': contract.version },
      ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    }
    const { deprecation: _byPrism, link, ...headers } = response.headers
    const links = { ...(link !== undefined && { Link: link }) }
    const reported = lowerCaseNames(
      requestState.operation?.notice ? mergeNoticeHeaders(links, requestState.operation.notice) : links,
    )
    write(req, res, {
      ...response,
      headers: { ...headers, ...reported, ...own, ...lowerCaseNames(headersFor(req) ?? {}) },
    })
  }

  function write(req: IncomingMessage, res: ServerResponse, { status, headers, body }: MockResponse): void {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const hasBody = text !== '' && status !== 204 && status !== 304
    const { 'content-type': type, ...others } = headers
    res.writeHead(status, {
      ...others,
      ...(hasBody && type !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
    })
    const shown = hasBody && req.method !== 'HEAD' ? text : undefined
    if (hasUnreadBody(req)) {
      res.write(shown ?? '')
      discardRemainingBody(req, () => res.end())
    } else res.end(shown)
    onAnswer?.(req.method ?? '', req.url ?? '', status)
  }

  const app = express().disable('x-powered-by').disable('etag').set('query parser', parseQuery)
  return app.use((req, res) => {
    respond(req, res).catch((error) => res.destroy(error instanceof Error ? error : undefined))
  })
}

/** The operations for which response-makers.ts creates the response. */
const MADE_OPERATIONS: ReadonlySet<OperationId> = new Set([
  ...([
    'createBrowserToken',
    'executeSkill',
    'executeBatch',
    'createProposal',
    'getSkill',
    'getToolDefinitions',
    'getFunctionDefinitions',
    'getOpenApiJson',
    'getOpenApiYaml',
  ] as const),
])

/**
 * Corrects the parts of a response that Prism cannot know. Prism copies every header from its example, but the service
 * sends some headers only under certain conditions and computes others from the body.
 */
function correctResponse(
  itemOf: ReturnType<typeof buildLocationMap>,
  operation: Operation,
  url: string,
  req: IncomingMessage,
  response: MockResponse,
): MockResponse {
  const { status, body } = response
  const { 'idempotent-replayed': _replayed, link: _link, etag, location, ...shown } = response.headers
  const headers = omitDailyQuota(operation, shown)
  // The service checks the key before it counts a request, so these problems have no rate limit headers.
  if (UNCOUNTED_CODES.has(String((body as { code?: string } | undefined)?.code))) {
    delete headers.ratelimit
    delete headers['ratelimit-policy']
  }
  if (status === 401) headers['www-authenticate'] = authenticateHeader((body as { code: string }).code)
  if (status === 412) headers.etag = `"${(body as { currentVersion: number }).currentVersion}"`
  if (status >= 400) return { ...response, headers }
  const type = headers['content-type']
  // The content type of a file has no charset.
  if (type !== undefined && /[/+](json|yaml)$/.test(type)) headers['content-type'] = `${type}; charset=utf-8`
  if (etag !== undefined)
    headers.etag = typeof body === 'object' && body !== null ? computeEtag(body, () => JSON.stringify(body)) : etag
  if (location !== undefined) headers.location = itemOf.get(operation.id)?.((body as { id: string }).id) ?? getPath(url)
  const { nextCursor } = (body ?? {}) as { nextCursor?: unknown }
  if (typeof nextCursor === 'string') headers.link = nextPageLink(url, nextCursor)
  const known = req.headers['if-none-match']
  const isUnchanged =
    '304' in operation.declaration.responses && known !== undefined && matchesEtag(known, headers.etag ?? '')
  return status === 200 && isUnchanged ? { status: 304, headers, body: undefined } : { status, headers, body }
}

const UNCOUNTED_CODES: ReadonlySet<string> = new Set(['tier_required', 'address_not_allowed', 'too_many_attempts'])

/** Omits the daily quota from a vendor's response, because vendors do not use the builder's quota. */
function omitDailyQuota({ schemes }: Operation, headers: Record<string, string>): Record<string, string> {
  if (schemes.has('apiKey')) return headers
  const limits = Object.entries(headers).filter(([name]) => name === 'ratelimit' || name === 'ratelimit-policy')
  return { ...headers, ...Object.fromEntries(limits.map(([name, value]) => [name, value.replace(/, "day".*/, '')])) }
}

function nextPageLink(url: string, cursor: string): string {
  const parameters = new URLSearchParams(url.slice(getPath(url).length))
  parameters.set('cursor', cursor)
  return `<${getPath(url)}?${parameters}>; rel="next"`
}

// The mock cannot look up keys. It accepts every key with the right prefix and gives it all permissions. It also
// accepts every portal token and every session.
function checkCredential(
  { schemes }: Operation,
  { authorization = '', cookie }: IncomingMessage['headers'],
  publicUrl: string,
): void {
  const refused = (code: 'missing_key' | 'invalid_key' | 'not_signed_in', detail: string) =>
    new Problem(code, detail, {}, { 'WWW-Authenticate': authenticateHeader(code) })
  if (schemes.size === 0) return
  if (authorization === '' && schemes.has('session') && readSessionCookie(cookie, publicUrl) !== null) return
  if (schemes.size === 1 && schemes.has('session'))
    throw refused('not_signed_in', 'This operation requires a signed-in user. Sign in first.')
  if (authorization === '')
    throw refused('missing_key', 'The request has no API key. Send it as "Authorization: Bearer …".')
  const isOfItsForm = schemes.has('apiKey') ? /^Bearer plb_[!-~]+$/i : /^Bearer (inv|ven)_[!-~]+\.[!-~]+$/i
  if (!isOfItsForm.test(authorization)) throw refused('invalid_key', 'The API key or token is malformed.')
}

function authenticateHeader(code: string): string {
  if (code === 'not_signed_in') return 'Session realm="plumbline"'
  return `Bearer realm="plumbline"${code === 'missing_key' ? '' : ', error="invalid_token"'}`
}

/** The mock serves the contract but no pages. */
const DOCS_NOTICE = `This is the Plumbline mock. It responds with the examples of the contract and accepts any key that begins with plb_:

  curl -H "Authorization: Bearer plb_mock" <this URL>/api/ext/vendors

The documentation is part of the service, at /docs. Start the service with "npm start", or this mock with --stateful.
The available scenarios are listed in mock/scenarios.gen.md.
`

function notFoundOrNotAllowed(allow: readonly string[], method: string, path: string): Problem {
  if (path.startsWith('/docs/'))
    return problem(
      'unknown_path',
      'The mock does not serve the documentation. Open /docs on a running service, or start the mock with --stateful.',
    )
  if (allow.length === 0)
    return problem('unknown_path', 'The contract has no such path. See /api/ext/schema/openapi.json for all paths.')
  const methods = allow.includes('GET') ? [...allow, 'HEAD'] : allow
  return new Problem(
    'method_not_allowed',
    `This path does not allow ${method}. Allowed methods: ${methods.join(', ')}.`,
    {},
    { Allow: methods.join(', ') },
  )
}

// Web pages of any origin may call the mock.
const { headersFor, preflightFor } = createCors(['*'])

function getRequestId(req: IncomingMessage): string {
  const provided = req.headers['x-request-id']
  return typeof provided === 'string' && /^[\w.:-]{1,128}$/.test(provided)
    ? provided
    : `req_${randomUUID().replaceAll('-', '')}`
}

function getPath(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

function lowerCaseNames(headers: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
}
