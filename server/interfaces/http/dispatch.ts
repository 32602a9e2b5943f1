import type { Request, Response } from 'express'
import { type Call, newCall, type Principal, type Surroundings } from '../../platform/calls/call.ts'
import type { Contract, Operation, OperationId } from '../../platform/calls/contract.ts'
import { etagOf, matchesEtag } from '../../platform/calls/etag.ts'
import { FileAnswer, type SentFile } from '../../platform/calls/file-answer.ts'
import { withHolder } from '../../platform/calls/holder.ts'
import { Json } from '../../platform/calls/json.ts'
import type { Answered, Handlers } from '../../platform/calls/operation.ts'
import { assertConcealing, type Repeat, type Repeats } from '../../platform/calls/repeat.ts'
import { type Arrived, Upload } from '../../platform/calls/upload.ts'
import { notFound, Problem, problem } from '../../platform/problems/problem.ts'
import { formatTimestamp } from '../../platform/values/format.ts'
import { expansions } from './expand.ts'
import { idempotently, type Keepable, type KeptAnswer } from './idempotency.ts'
import type { Input } from './input.ts'
import { locations, readers } from './location.ts'
import { type SecretFields, secretFieldsOf, withoutSecrets } from './secret-fields.ts'
import type { Validator } from './validate.ts'

/** A response before the headers that every response has are added. */
export interface Answer {
  status: number
  headers: Record<string, string>
  text: string | null
  etag: string | undefined
  type?: string
  /** Whether it is a proposal instead of the operation's own response. */
  isProposal?: true
  /** Sent instead of `text`. */
  file?: Pick<SentFile, 'length' | 'open'>
}

/** Who sends a request, from where, and the request ID for responses and logs. */
export interface Sender {
  principal: Principal
  requestId: string
  address: string
}

export interface DispatchParts {
  contract: Contract
  handlers: Handlers
  repeats: Repeats
  validator: Validator
  surroundings: Surroundings
  proposer: Proposer
}

/** Creates proposals for the changes of a key that may only propose. */
export interface Proposer {
  /** Whether the call might change something. */
  concerns(operation: Operation, body: unknown, call: Call): boolean
  /** Tries the call out and stores what it would change. The result becomes the body of the response. */
  propose(operation: Operation, input: FlatInput, call: Call, tryOut: (call: Call) => Promise<unknown>): Promise<object>
}

/** An input as a skill accepts it: path, query, body and `ifMatch` in one flat object. */
type FlatInput = Record<string, unknown>

/**
 * The handler of an operation that is not known statically. The contract that types its input has also validated it.
 */
type AnyHandler = (input: Input & { ifMatch?: string }, call: Call) => Promise<AnyReply>
interface AnyReply {
  status: number
  body?: object | string
  headers?: Record<string, string>
  /** Fields of the body, besides those of the operation, that can change without a new version of the record. */
  follows?: readonly string[]
}

/**
 * Checks that the principal may call the operation: by a scheme that the operation accepts, and with every permission
 * required under that scheme. Throws `permission_denied` with a sentence about `what`.
 */
export function permit(principal: Principal, operation: Operation, what = 'This operation'): void {
  if (operation.schemes.size === 0) return
  // A connected app uses a token like an API key, whichever user it acts for.
  const scheme = principal.via === undefined ? SCHEME_OF[principal.kind] : 'apiKey'
  const needed = operation.schemes.get(scheme)
  if (needed === undefined) throw new Problem('permission_denied', `${what} is not available to a ${principal.kind}.`)
  for (const permission of needed) {
    if (!principal.permissions.has(permission))
      throw new Problem('permission_denied', `${what} requires ${needed.join(' and ')}.`, { permission })
  }
}

/** Two files are equal if their bytes are, wherever they are stored. */
function bytesOf({ size, sha256 }: Arrived): Pick<Arrived, 'size' | 'sha256'> {
  return { size, sha256 }
}

// The service itself may call the operations that API keys may call.
const SCHEME_OF: Readonly<Record<Principal['kind'], string>> = {
  key: 'apiKey',
  user: 'session',
  system: 'apiKey',
  vendor: 'portalToken',
}

export interface Dispatcher {
  /** Performs an operation for an authorized caller: validation, idempotency, handler, response. */
  perform(operation: Operation, req: Request, res: Response, by: Sender): Promise<Answer>
  /** Calls an operation from inside another, with the same permissions and in the same transaction. */
  operate: Surroundings['operate']
}

export function dispatcher(parts: DispatchParts): Dispatcher {
  const { contract, handlers, repeats, validator, surroundings, proposer } = parts
  assertConcealing(contract, repeats)
  const locationOf = locations(contract)
  const readerOf = readers(contract)
  const expanding = expansions<Call>({
    contract,
    handle: (operation, input, call) => (handlers[operation.id] as unknown as AnyHandler)(input, call),
    permit: (call, operation, what) => permit(call.principal, operation, what),
  })

  const secretsOf = new Map(
    [...contract.operations.values()].map((operation) => [operation, secretFieldsOf(contract, operation)]),
  )

  /** Returns the reply, without secrets if the caller may only propose: with a secret it could act without approval. */
  function handled(operation: Operation, input: Input & { ifMatch?: string }, call: Call): Promise<AnyReply> {
    const reply = expanded(operation, input, call)
    const secrets = call.principal.proposesOnly === true ? secretsOf.get(operation) : null
    return secrets ? reply.then((reply) => concealed(reply, secrets)) : reply
  }

  /** Returns the handler's reply with the records that `expand` requests. */
  function expanded(operation: Operation, input: Input & { ifMatch?: string }, call: Call): Promise<AnyReply> {
    // The `expand` parameter of listSkills is a single word with its own meaning.
    if (!Array.isArray(input.query.expand)) return (handlers[operation.id] as unknown as AnyHandler)(input, call)
    const { expand, ...query } = input.query
    return expanding.reply(operation, expand, { ...input, query }, call)
  }

  async function perform(operation: Operation, req: Request, res: Response, sender: Sender): Promise<Answer> {
    req.params = decoded(req.params as Record<string, string>)
    const { currency } = sender.principal.organization
    const input = await validator.check(operation, req, res, currency)
    if (!(input.body instanceof Upload)) {
      validator.checkDecimals(operation, input, currency)
      return answered(operation, req, input, sender)
    }
    const arrived = await surroundings.files.receive(input.body.chunks())
    try {
      return await answered(operation, req, { ...input, body: arrived }, sender)
    } finally {
      await arrived.discard()
    }
  }

  async function answered(operation: Operation, req: Request, input: Input, sender: Sender): Promise<Answer> {
    const call = newCall(surroundings, sender)
    const ifMatch = declaredHeader(operation, req, 'if-match')
    const given = ifMatch === undefined ? input : { ...input, ifMatch }
    const key = declaredHeader(operation, req, 'idempotency-key')
    const answer = async (call: Call): Promise<Answer> => {
      // Few API keys may only propose, so the cheap condition comes first.
      if (call.principal.proposesOnly === true && proposer.concerns(operation, input.body, call))
        return proposed(operation, given, call)
      return toAnswer(operation, located(operation, await handled(operation, given, call)), req)
    }
    try {
      if (key === undefined) return await answer(call)
      const body = req.body instanceof Upload ? bytesOf(input.body as Arrived) : req.body
      const request = { method: operation.method, url: req.url, body }
      return await idempotently(call, key, request, {
        perform: answer,
        keep: (answer) => keepable(operation, answer),
        tellAgain: (kept, call) => toldAgain(operation, kept, input, call),
      })
    } catch (error) {
      throw await withHolder(call, error)
    }
  }

  async function proposed(operation: Operation, given: Input & { ifMatch?: string }, call: Call): Promise<Answer> {
    const { path, query, body, ifMatch } = given
    const flat = { ...path, ...query, ...(body as object | undefined), ...(ifMatch !== undefined && { ifMatch }) }
    const proposal = await proposer.propose(operation, flat, call, async (call) => {
      const { body } = await handled(operation, given, call)
      return body instanceof Json ? body.value : body
    })
    const Location = locationOf.get('createProposal')?.((proposal as { id: string }).id) ?? ''
    return {
      ...{ status: 202, headers: { Location }, text: JSON.stringify(proposal) },
      ...{ etag: undefined, isProposal: true as const },
    }
  }

  function keepable(operation: Operation, { status, headers, text, etag, isProposal }: Answer): Keepable {
    // A proposal contains no secrets.
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

  async function toldAgain(operation: Operation, kept: KeptAnswer, { body }: Input, call: Call): Promise<Answer> {
    const { status, text, resourceId, at } = kept
    const repeat = repeats[operation.id]
    repeat?.permit?.(body, call)
    const headers: Record<string, string> = { ...kept.headers, 'Idempotent-Replayed': 'true' }
    if (isOfProposal(kept)) return { status, headers, text, etag: undefined, isProposal: true }
    if (text !== null) {
      const whole = repeat === undefined ? text : await revealed(repeat, text, call)
      if (whole !== null) return { status, headers, text: whole === '' ? null : whole, etag: undefined }
    }
    const reader = readerOf.get(operation.id)
    if (text !== null || reader === undefined || resourceId === null) {
      throw problem(
        'answer_not_kept',
        `The first request with this Idempotency-Key returned ${status} on ${formatTimestamp(at, call.timeZone)}. That response was not kept; read the records instead.`,
      )
    }
    const record = await operate(call, reader.id, { [reader.parameter]: resourceId })
    // Dropped, because the ETag must be that of the record's current version.
    delete headers.ETag
    return toAnswer(operation, { status, headers, body: record as object }, { url: '', headers: {} })
  }

  /** Adds a Location for the created record, unless the handler has set one. */
  function located(operation: Operation, reply: AnyReply): AnyReply {
    if (reply.status !== 201 || reply.headers?.Location !== undefined) return reply
    const Location = locationOf.get(operation.id)?.((reply.body as { id: string }).id)
    return Location === undefined ? reply : { ...reply, headers: { ...reply.headers, Location } }
  }

  async function operate<Id extends OperationId>(
    call: Call,
    id: Id,
    flat: Record<string, unknown>,
  ): Promise<Answered<Id>> {
    const operation = contract.operations.get(id)
    if (operation === undefined) throw new Error(`Expected the contract to have an operation ${id}.`)
    permit(call.principal, operation)
    const input = validator.checkInput(operation, spread(contract, operation, flat), call.currency)
    validator.checkDecimals(operation, input, call.currency)
    const { ifMatch } = flat
    const reply = await handled(operation, typeof ifMatch === 'string' ? { ...input, ifMatch } : input, call)
    const { body } = reply
    if (body instanceof FileAnswer) return (await body.base64()) as Answered<Id>
    return (body instanceof Json ? body.value : body) as Answered<Id>
  }

  return { perform, operate }
}

function concealed(reply: AnyReply, secrets: SecretFields): AnyReply {
  if (reply.body === undefined || reply.body instanceof FileAnswer) return reply
  const body = reply.body instanceof Json ? reply.body.value : reply.body
  return { ...reply, body: withoutSecrets(body, secrets) as object }
}

/** If the text was too large to store, the Location links to the proposal. */
function isOfProposal({ status, headers }: KeptAnswer): boolean {
  return status === 202 && headers.Location?.startsWith('/api/ext/proposals/') === true
}

async function revealed(repeat: Repeat, text: string, call: Call): Promise<string | null> {
  const whole = await repeat.reveal(JSON.parse(text) as object, call)
  return whole === null ? null : JSON.stringify(whole)
}

/** Splits the flat object that skills pass into an operation's path and query parameters; the rest is the body. */
function spread(contract: Contract, operation: Operation, flat: Record<string, unknown>): Input {
  const { ifMatch: _header, ...rest } = flat
  const path: Record<string, unknown> = {}
  const query: Record<string, unknown> = {}
  for (const declared of operation.declaration.parameters ?? []) {
    const { name, in: where } = contract.resolve(declared)
    if (where !== 'path' && where !== 'query') continue
    const value = rest[name]
    delete rest[name]
    if (where === 'path') path[name] = value
    // A query cannot contain null, so null counts as omitted.
    else if (value !== undefined && value !== null) query[name] = value
  }
  // Without a body, any remaining field is an unknown parameter and is rejected as one.
  const input = operation.takesBody ? { query, body: rest } : { query: { ...query, ...rest }, body: undefined }
  return { path: path as Record<string, string>, ...input }
}

function declaredHeader(operation: Operation, { headers }: Request, name: string): string | undefined {
  const value = headers[name]
  return operation.headers.has(name) && typeof value === 'string' ? value : undefined
}

// An ID that cannot be decoded, or that no text column can store, cannot exist.
function decoded(params: Record<string, string>): Record<string, string> {
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

function toAnswer(operation: Operation, reply: AnyReply, req: Pick<Request, 'url' | 'headers'>): Answer {
  const { url } = req
  const headers = reply.headers ?? {}
  const { status, body } = reply
  const follows = [...operation.follows, ...(reply.follows ?? [])]
  if (body === undefined) return { status, headers, text: null, etag: undefined }
  if (body instanceof Json) {
    const { text, nextCursor } = body
    const own = nextCursor === null ? headers : { ...headers, Link: nextLink(url, nextCursor) }
    return { status, headers: own, text, etag: undefined }
  }
  if (body instanceof FileAnswer) return fileAnswered(operation, body, req)
  // The only other body that is not JSON is the contract as YAML.
  if (typeof body === 'string')
    return { status, headers, text: body, etag: etagOf({}, () => body), type: 'application/yaml; charset=utf-8' }
  const text = JSON.stringify(body)
  if ('nextCursor' in body) {
    const { nextCursor } = body
    if (typeof nextCursor !== 'string') return { status, headers, text, etag: undefined }
    return { status, headers: { ...headers, Link: nextLink(url, nextCursor) }, text, etag: undefined }
  }
  return {
    status,
    headers,
    text,
    etag: operation.carriesETag ? etagOf(body, () => text, follows) : undefined,
  }
}

function fileAnswered(operation: Operation, file: FileAnswer, { headers }: Pick<Request, 'headers'>): Answer {
  const known = headers['if-none-match']
  const whole = file.sent({ range: undefined, ifRange: undefined })
  // A caller that already has the file gets 304, whichever part it requested.
  if (!operation.headers.has('range') || (known !== undefined && matchesEtag(known, whole.etag))) return fileSent(whole)
  const ifRange = headers['if-range']
  return fileSent(file.sent({ range: headers.range, ifRange: typeof ifRange === 'string' ? ifRange : undefined }))
}

function fileSent({ status, etag, contentType, headers, length, open }: SentFile): Answer {
  return { status, headers, text: null, etag, type: contentType, file: { length, open } }
}

function nextLink(url: string, cursor: string): string {
  const [path, query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}
