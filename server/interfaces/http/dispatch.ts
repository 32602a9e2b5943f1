import type { Request, Response } from 'express'
import { type Call, createCall, type Principal, type Services } from '../../platform/calls/call.ts'
import type { Contract, Operation, OperationId } from '../../platform/calls/contract.ts'
import { computeEtag, matchesEtag } from '../../platform/calls/etag.ts'
import { FileResponse, type SentFile } from '../../platform/calls/file-response.ts'
import { Json } from '../../platform/calls/json.ts'
import type { Handlers, ResponseBody } from '../../platform/calls/operation.ts'
import {
  assertSecretsConcealed,
  type RepeatRules,
  type RepeatRulesByOperation,
} from '../../platform/calls/repeated-response.ts'
import { addConflictingRecord } from '../../platform/calls/unique-conflict.ts'
import { type ReceivedFile, Upload } from '../../platform/calls/upload.ts'
import { notFound, Problem, problem } from '../../platform/problems/problem.ts'
import { formatTimestamp } from '../../platform/values/format.ts'
import { createResponseExpander } from './expand-response.ts'
import { runWithIdempotencyKey, type StorableResponse, type StoredResponse } from './idempotency.ts'
import type { Input } from './input-checker.ts'
import type { Validator } from './request-validator.ts'
import { buildLocationMap, buildReaderMap } from './resource-locations.ts'
import { concealSecretFields, getSecretFields, type SecretFields } from './secret-fields.ts'

/** A response without the headers that all responses share. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  text: string | null
  etag: string | undefined
  type?: string
  /** Whether the response is a proposal instead of the operation's own response. */
  isProposal?: true
  /** The file to send instead of `text`. */
  file?: Pick<SentFile, 'length' | 'open'>
}

/** The origin of a request, and its ID for responses and logs. */
export interface RequestOrigin {
  principal: Principal
  requestId: string
  address: string
}

export interface DispatchParts {
  contract: Contract
  handlers: Handlers
  repeats: RepeatRulesByOperation
  validator: Validator
  services: Services
  proposer: ProposalMaker
}

/** Creates proposals instead of changes for an API key that may only propose changes. */
export interface ProposalMaker {
  /** Returns whether the call might change data. */
  concerns(operation: Operation, body: unknown, call: Call): boolean
  /** Performs a trial run of the call and stores its changes as a proposal. Returns the body of the response. */
  propose(operation: Operation, input: FlatInput, call: Call, tryOut: (call: Call) => Promise<unknown>): Promise<object>
}

/** The input of a skill: path parameters, query parameters, body fields, and `ifMatch` in one flat object. */
type FlatInput = Record<string, unknown>

/**
 * The handler of an operation that the compiler does not know. This type is safe, because the input has been validated
 * against the contract, from which the types of all inputs are generated.
 */
type AnyHandler = (input: Input & { ifMatch?: string }, call: Call) => Promise<AnyReply>
interface AnyReply {
  status: number
  body?: object | string
  headers?: Record<string, string>
  /**
   * Fields of the body that can change without a new version of the record, in addition to those that the contract
   * declares for the operation.
   */
  follows?: readonly string[]
}

/**
 * Checks that the principal may call the operation. The operation must accept the principal's authentication scheme,
 * and the principal must have every permission that the scheme requires. Otherwise, throws `permission_denied`. `what`
 * is the subject of the sentence in the problem.
 */
export function assertOperationPermitted(principal: Principal, operation: Operation, what = 'This operation'): void {
  if (operation.schemes.size === 0) return
  // A connected app has the same access as an API key, for every user on whose behalf it acts.
  const scheme = principal.via === undefined ? SCHEME_BY_PRINCIPAL[principal.kind] : 'apiKey'
  const needed = operation.schemes.get(scheme)
  if (needed === undefined) throw new Problem('permission_denied', `${what} is not available to a ${principal.kind}.`)
  for (const permission of needed) {
    if (!principal.permissions.has(permission))
      throw new Problem('permission_denied', `${what} requires ${needed.join(' and ')}.`, { permission })
  }
}

/**
 * Returns the properties that identify a file's content. Files with equal bytes are equal, wherever they are stored.
 */
function contentIdentity({ size, sha256 }: ReceivedFile): Pick<ReceivedFile, 'size' | 'sha256'> {
  return { size, sha256 }
}

// The authentication scheme of each kind of principal. The service itself and the owner's page can call the operations
// that API keys can call.
const SCHEME_BY_PRINCIPAL: Readonly<Record<Principal['kind'], string>> = {
  key: 'apiKey',
  user: 'session',
  system: 'apiKey',
  vendor: 'portalToken',
  home_owner: 'apiKey',
}

export interface Dispatcher {
  /**
   * Performs an operation for an authorized caller: validates the input, applies idempotency, calls the handler, and
   * builds the response.
   */
  perform(operation: Operation, req: Request, res: Response, by: RequestOrigin): Promise<HttpResponse>
  /** Calls an operation from another operation, with the same permissions and in the same transaction. */
  operate: Services['operate']
}

export function createDispatcher(parts: DispatchParts): Dispatcher {
  const { contract, handlers, repeats, validator, services, proposer } = parts
  assertSecretsConcealed(contract, repeats)
  const locationOf = buildLocationMap(contract)
  const readerOf = buildReaderMap(contract)
  const expanding = createResponseExpander<Call>({
    contract,
    handle: (operation, input, call) => (handlers[operation.id] as unknown as AnyHandler)(input, call),
    permit: (call, operation, what) => assertOperationPermitted(call.principal, operation, what),
  })

  const secretsOf = new Map(
    [...contract.operations.values()].map((operation) => [operation, getSecretFields(contract, operation)]),
  )

  /**
   * Returns the reply to the caller. A caller that may only propose changes gets no secrets, because a secret would
   * allow it to act without approval.
   */
  function handled(operation: Operation, input: Input & { ifMatch?: string }, call: Call): Promise<AnyReply> {
    const reply = expanded(operation, input, call)
    const secrets = call.principal.isProposeOnly === true ? secretsOf.get(operation) : null
    return secrets ? reply.then((reply) => withConcealedBody(reply, secrets)) : reply
  }

  /** Returns the handler's reply, with the linked records that the `expand` parameter requests. */
  function expanded(operation: Operation, input: Input & { ifMatch?: string }, call: Call): Promise<AnyReply> {
    // In listSkills, `expand` is a single word with a different meaning.
    if (!Array.isArray(input.query.expand)) return (handlers[operation.id] as unknown as AnyHandler)(input, call)
    const { expand, ...query } = input.query
    return expanding.reply(operation, expand, { ...input, query }, call)
  }

  async function perform(
    operation: Operation,
    req: Request,
    res: Response,
    sender: RequestOrigin,
  ): Promise<HttpResponse> {
    req.params = decodeParameters(req.params as Record<string, string>)
    const { currency } = sender.principal.organization
    const input = await validator.check(operation, req, res, currency)
    if (!(input.body instanceof Upload)) {
      validator.checkDecimals(operation, input, currency)
      return responded(operation, req, input, sender)
    }
    const arrived = await services.files.receive(input.body.chunks())
    try {
      return await responded(operation, req, { ...input, body: arrived }, sender)
    } finally {
      await arrived.discard()
    }
  }

  async function responded(
    operation: Operation,
    req: Request,
    input: Input,
    sender: RequestOrigin,
  ): Promise<HttpResponse> {
    const call = createCall(services, sender)
    const ifMatch = readDeclaredHeader(operation, req, 'if-match')
    const provided = ifMatch === undefined ? input : { ...input, ifMatch }
    const key = readDeclaredHeader(operation, req, 'idempotency-key')
    const response = async (call: Call): Promise<HttpResponse> => {
      // Checks the cheap condition first, because few API keys may only propose changes.
      if (call.principal.isProposeOnly === true && proposer.concerns(operation, input.body, call))
        return proposed(operation, provided, call)
      return toHttpResponse(operation, located(operation, await handled(operation, provided, call)), req)
    }
    try {
      if (key === undefined) return await response(call)
      const body = req.body instanceof Upload ? contentIdentity(input.body as ReceivedFile) : req.body
      const request = { method: operation.method, url: req.url, body }
      return await runWithIdempotencyKey(call, key, request, {
        perform: response,
        keep: (answer) => keepable(operation, answer),
        tellAgain: (stored, call) => toldAgain(operation, stored, input, call),
      })
    } catch (error) {
      throw await addConflictingRecord(call, error)
    }
  }

  async function proposed(
    operation: Operation,
    provided: Input & { ifMatch?: string },
    call: Call,
  ): Promise<HttpResponse> {
    const { path, query, body, ifMatch } = provided
    const flat = { ...path, ...query, ...(body as object | undefined), ...(ifMatch !== undefined && { ifMatch }) }
    const proposal = await proposer.propose(operation, flat, call, async (call) => {
      const { body } = await handled(operation, provided, call)
      return body instanceof Json ? body.value : body
    })
    const Location = locationOf.get('createProposal')?.((proposal as { id: string }).id) ?? ''
    return {
      ...{ status: 202, headers: { Location }, text: JSON.stringify(proposal) },
      ...{ etag: undefined, isProposal: true as const },
    }
  }

  function keepable(operation: Operation, { status, headers, text, etag, isProposal }: HttpResponse): StorableResponse {
    // Proposals need no special treatment here, because they contain no secrets.
    const repeat = isProposal === true ? undefined : repeats[operation.id]
    return {
      status,
      headers: { ...headers, ...(etag !== undefined && { ETag: etag }) },
      text: text === null ? '' : repeat === undefined ? text : JSON.stringify(repeat.conceal(JSON.parse(text))),
      resourceId() {
        if (text === null || !readerOf.has(operation.id)) return null
        const { id } = JSON.parse(text) as { id?: unknown }
        return typeof id === 'string' ? id : null
      },
    }
  }

  async function toldAgain(
    operation: Operation,
    stored: StoredResponse,
    { body }: Input,
    call: Call,
  ): Promise<HttpResponse> {
    const { status, text, resourceId, at } = stored
    const repeat = repeats[operation.id]
    repeat?.permit?.(body, call)
    const headers: Record<string, string> = { ...stored.headers, 'Idempotent-Replayed': 'true' }
    if (isProposalResponse(stored)) return { status, headers, text, etag: undefined, isProposal: true }
    if (text !== null) {
      const whole = repeat === undefined ? text : await revealStored(repeat, text, call)
      if (whole !== null) return { status, headers, text: whole === '' ? null : whole, etag: undefined }
    }
    const reader = readerOf.get(operation.id)
    if (text !== null || reader === undefined || resourceId === null) {
      throw problem(
        'answer_not_kept',
        `The first request with this Idempotency-Key returned ${status} on ${formatTimestamp(at, call.timeZone)}. The response was not stored. Read the records instead.`,
      )
    }
    const record = await operate(call, reader.id, { [reader.parameter]: resourceId })
    // Removes the stored ETag, because the response must have the ETag of the record's current version.
    delete headers.ETag
    return toHttpResponse(operation, { status, headers, body: record as object }, { url: '', headers: {} })
  }

  /** Adds a Location header for the created record, unless the handler has set one. */
  function located(operation: Operation, reply: AnyReply): AnyReply {
    if (reply.status !== 201 || reply.headers?.Location !== undefined) return reply
    const Location = locationOf.get(operation.id)?.((reply.body as { id: string }).id)
    return Location === undefined ? reply : { ...reply, headers: { ...reply.headers, Location } }
  }

  async function operate<Id extends OperationId>(
    call: Call,
    id: Id,
    flat: Record<string, unknown>,
  ): Promise<ResponseBody<Id>> {
    const operation = contract.operations.get(id)
    if (operation === undefined) throw new Error(`Expected the contract to have an operation ${id}.`)
    assertOperationPermitted(call.principal, operation)
    const input = validator.checkInput(operation, toOperationInput(contract, operation, flat), call.currency)
    validator.checkDecimals(operation, input, call.currency)
    const { ifMatch } = flat
    const reply = await handled(operation, typeof ifMatch === 'string' ? { ...input, ifMatch } : input, call)
    const { body } = reply
    if (body instanceof FileResponse) return (await body.base64()) as ResponseBody<Id>
    return (body instanceof Json ? body.value : body) as ResponseBody<Id>
  }

  return { perform, operate }
}

function withConcealedBody(reply: AnyReply, secrets: SecretFields): AnyReply {
  if (reply.body === undefined || reply.body instanceof FileResponse) return reply
  const body = reply.body instanceof Json ? reply.body.value : reply.body
  return { ...reply, body: concealSecretFields(body, secrets) as object }
}

/**
 * Returns whether the response is a proposal, based on its Location header. The header is stored even if the text of
 * the response is too large.
 */
function isProposalResponse({ status, headers }: StoredResponse): boolean {
  return status === 202 && headers.Location?.startsWith('/api/ext/proposals/') === true
}

async function revealStored(repeat: RepeatRules, text: string, call: Call): Promise<string | null> {
  const whole = await repeat.reveal(JSON.parse(text) as object, call)
  return whole === null ? null : JSON.stringify(whole)
}

/** Splits a skill's flat input object into path parameters, query parameters, and body. */
function toOperationInput(contract: Contract, operation: Operation, flat: Record<string, unknown>): Input {
  const { ifMatch: _header, ...rest } = flat
  const path: Record<string, unknown> = {}
  const query: Record<string, unknown> = {}
  for (const declared of operation.declaration.parameters ?? []) {
    const { name, in: where } = contract.resolve(declared)
    if (where !== 'path' && where !== 'query') continue
    const value = rest[name]
    delete rest[name]
    if (where === 'path') path[name] = value
    // A query cannot contain null, so null is treated as omitted.
    else if (value !== undefined && value !== null) query[name] = value
  }
  // If the operation has no body, the remaining fields become query parameters, and unknown ones are rejected.
  const input = operation.takesBody ? { query, body: rest } : { query: { ...query, ...rest }, body: undefined }
  return { path: path as Record<string, string>, ...input }
}

function readDeclaredHeader(operation: Operation, { headers }: Request, name: string): string | undefined {
  const value = headers[name]
  return operation.headers.has(name) && typeof value === 'string' ? value : undefined
}

// Decodes path parameters. Throws if an ID cannot be decoded or stored in a text column, because no record can have
// such an ID.
function decodeParameters(params: Record<string, string>): Record<string, string> {
  for (const name in params) {
    const value = params[name]
    if (value === undefined || !value.includes('%')) continue
    try {
      params[name] = decodeURIComponent(value)
    } catch {
      throw notFound()
    }
    if (params[name].includes('\0')) throw notFound()
  }
  return params
}

function toHttpResponse(operation: Operation, reply: AnyReply, req: Pick<Request, 'url' | 'headers'>): HttpResponse {
  const { url } = req
  const headers = reply.headers ?? {}
  const { status, body } = reply
  const follows = [...operation.follows, ...(reply.follows ?? [])]
  if (body === undefined) return { status, headers, text: null, etag: undefined }
  if (body instanceof Json) {
    const { text, nextCursor } = body
    const own = nextCursor === null ? headers : { ...headers, Link: nextPageLink(url, nextCursor) }
    return { status, headers: own, text, etag: undefined }
  }
  if (body instanceof FileResponse) return toFileResponse(operation, body, req)
  // The contract as YAML is the only body besides files that is not JSON.
  if (typeof body === 'string')
    return { status, headers, text: body, etag: computeEtag({}, () => body), type: 'application/yaml; charset=utf-8' }
  const text = JSON.stringify(body)
  if ('nextCursor' in body) {
    const { nextCursor } = body
    if (typeof nextCursor !== 'string') return { status, headers, text, etag: undefined }
    return { status, headers: { ...headers, Link: nextPageLink(url, nextCursor) }, text, etag: undefined }
  }
  return {
    status,
    headers,
    text,
    etag: operation.carriesETag ? computeEtag(body, () => text, follows) : undefined,
  }
}

function toFileResponse(operation: Operation, file: FileResponse, { headers }: Pick<Request, 'headers'>): HttpResponse {
  const known = headers['if-none-match']
  const whole = file.sent({ range: undefined, ifRange: undefined })
  // A caller that already has the current file gets 304, regardless of the requested range.
  if (!operation.headers.has('range') || (known !== undefined && matchesEtag(known, whole.etag)))
    return toSentFileResponse(whole)
  const ifRange = headers['if-range']
  return toSentFileResponse(
    file.sent({ range: headers.range, ifRange: typeof ifRange === 'string' ? ifRange : undefined }),
  )
}

function toSentFileResponse({ status, etag, contentType, headers, length, open }: SentFile): HttpResponse {
  return { status, headers, text: null, etag, type: contentType, file: { length, open } }
}

function nextPageLink(url: string, cursor: string): string {
  const [path, query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}
