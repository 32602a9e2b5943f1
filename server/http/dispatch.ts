import { type Call, newCall, type Principal, type Surroundings } from './call.ts'
import type { Contract, Operation, OperationId } from './contract.ts'
import { etagOf } from './etag.ts'
import { idempotently } from './idempotency.ts'
import { Json } from './json.ts'
import type { Answered, Handlers } from './operation.ts'
import { invalid, notFound, Problem } from './problem.ts'
import type { CheckedInput, Validator } from './validate.ts'

/** An answer as it goes out: everything but the headers that every answer has. */
export interface Answer {
  status: number
  headers: Record<string, string>
  text: string | null
  etag: string | undefined
  type?: string
}

export interface Request {
  url: string
  params: Record<string, string>
  headers: Record<string, string | string[] | undefined>
  body: unknown
  principal: Principal
  requestId: string
}

export interface DispatchParts {
  contract: Contract
  handlers: Handlers
  validator: Validator
  surroundings: Surroundings
}

/** Any handler, seen from where it is not known which: its input was checked by the contract that its type comes from. */
type AnyHandler = (input: CheckedInput & { ifMatch: string | undefined }, call: Call) => Promise<AnyReply>
interface AnyReply {
  status: number
  body?: object | string
  headers?: Record<string, string>
}

/**
 * Whether the principal may call the operation at all: by a scheme that the operation is open to, with every permission
 * that it asks of that scheme. Throws `permission_denied`.
 */
export function permit(principal: Principal, operation: Operation): void {
  const needed = operation.schemes.get(SCHEME_OF[principal.kind])
  if (needed === undefined) throw new Problem('permission_denied', `This operation is not open to a ${principal.kind}.`)
  for (const permission of needed) {
    if (!principal.permissions.has(permission))
      throw new Problem('permission_denied', `This operation needs ${needed.join(' and ')}.`, { permission })
  }
}

// Users and the service call what keys may call, each with permissions of their own.
const SCHEME_OF: Readonly<Record<Principal['kind'], string>> = {
  key: 'apiKey',
  user: 'apiKey',
  system: 'apiKey',
  vendor: 'portalToken',
}

export interface Dispatcher {
  /** Performs an operation for somebody who may: validation, idempotency, handler, answer. */
  perform(operation: Operation, request: Request): Promise<Answer>
  /** Calls an operation from inside another, with the caller's power and in the caller's transaction. */
  operate: Surroundings['operate']
}

export function dispatcher(parts: DispatchParts): Dispatcher {
  const { contract, handlers, validator, surroundings } = parts

  async function perform(operation: Operation, request: Request): Promise<Answer> {
    const params = decoded(request.params)
    const input = await validator.check(operation, {
      url: request.url,
      params,
      headers: checkedHeaders(operation, request),
      body: request.body,
    })
    const handler = handlers[operation.id] as unknown as AnyHandler
    const { principal, requestId } = request
    const call = newCall(surroundings, { principal, requestId })
    const given = { ...input, ifMatch: declaredHeader(operation, request, 'if-match') }
    const key = declaredHeader(operation, request, 'idempotency-key')
    if (key === undefined) return toAnswer(operation, await handler(given, call), request.url)

    let answer: Answer | undefined
    const stored = await call.write((call) =>
      idempotently(call, key, { method: operation.method, url: request.url, body: request.body }, async () => {
        answer = toAnswer(operation, await handler(given, call), request.url)
        return { status: answer.status, headers: storedHeaders(answer), body: answer.text ?? '' }
      }),
    )
    // The first request answers as it would without a key; a repeat answers with what was stored.
    if (answer !== undefined && stored.headers['Idempotent-Replayed'] === undefined) return answer
    return {
      status: stored.status,
      headers: stored.headers,
      text: stored.body === '' ? null : stored.body,
      etag: undefined,
    }
  }

  async function operate<Id extends OperationId>(
    call: Call,
    id: Id,
    flat: Record<string, unknown>,
  ): Promise<Answered<Id>> {
    const operation = contract.operations.get(id)
    if (operation === undefined) throw new Error(`The contract has no operation ${id}.`)
    permit(call.principal, operation)
    const { url, params, headers, body } = spread(contract, operation, flat)
    const input = await validator.check(operation, { url, params, headers, body })
    const handler = handlers[id] as unknown as AnyHandler
    const { ifMatch } = flat
    const reply = await handler({ ...input, ifMatch: typeof ifMatch === 'string' ? ifMatch : undefined }, call)
    return (reply.body instanceof Json ? reply.body.value : reply.body) as Answered<Id>
  }

  return { perform, operate }
}

/** From one flat object, as skills take it, the parts of a request: path and query parameters, the rest is the body. */
export function spread(contract: Contract, operation: Operation, flat: Record<string, unknown>) {
  const rest = { ...flat }
  const params: Record<string, string> = {}
  const missing: string[] = []
  const query = new URLSearchParams()
  delete rest.ifMatch
  for (const declared of operation.declaration.parameters ?? []) {
    const { name, in: where } = contract.resolve(declared)
    const value = rest[name]
    if (where === 'header' || where === 'cookie') continue
    delete rest[name]
    if (where === 'path') {
      if (typeof value !== 'string' || value === '') missing.push(name)
      params[name] = String(value)
    } else if (Array.isArray(value)) query.set(name, value.map(String).join(','))
    else if (value !== undefined && value !== null) query.set(name, String(value))
  }
  if (missing.length > 0) {
    throw invalid(missing.map((name) => ({ pointer: name, code: 'required', message: 'an id is required' })))
  }
  let path = operation.path
  for (const [name, value] of Object.entries(params)) path = path.replace(`{${name}}`, encodeURIComponent(value))
  const leftOver = Object.keys(rest)
  // What belongs nowhere is an unknown parameter, and is refused as one.
  if (!operation.takesBody) for (const name of leftOver) query.set(name, String(rest[name]))
  const url = query.size > 0 ? `${path}?${query}` : path
  const headers: Record<string, string> = operation.takesBody ? { 'content-type': 'application/json' } : {}
  return { url, params, headers, body: operation.takesBody ? rest : undefined }
}

function declaredHeader(operation: Operation, request: Request, name: string): string | undefined {
  const value = request.headers[name]
  return operation.headers.has(name) && typeof value === 'string' ? value : undefined
}

// What the validator sees of the headers: those that the contract declares, and one content type, for it keeps a compiled
// validator for each that it meets.
function checkedHeaders(operation: Operation, request: Request): Record<string, string | string[] | undefined> {
  const checked: Record<string, string | string[] | undefined> = {}
  if (operation.takesBody) checked['content-type'] = 'application/json'
  for (const name of operation.headers) {
    if (request.headers[name] !== undefined) checked[name] = request.headers[name]
  }
  return checked
}

// An id that cannot be decoded, or that no text column can hold, is an id of nothing.
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

function toAnswer(operation: Operation, reply: AnyReply, url: string): Answer {
  const headers = reply.headers ?? {}
  const { status, body } = reply
  if (body === undefined) return { status, headers, text: null, etag: undefined }
  if (body instanceof Json) {
    const { text, nextCursor } = body
    return {
      status,
      headers: nextCursor === null ? headers : { ...headers, Link: nextLink(url, nextCursor) },
      text,
      etag: undefined,
    }
  }
  // The one text that is no JSON is the contract as YAML.
  if (typeof body === 'string')
    return { status, headers, text: body, etag: etagOf({}, () => body), type: 'application/yaml; charset=utf-8' }
  const text = JSON.stringify(body)
  if ('nextCursor' in body) {
    const { nextCursor } = body
    if (typeof nextCursor !== 'string') return { status, headers, text, etag: undefined }
    return { status, headers: { ...headers, Link: nextLink(url, nextCursor) }, text, etag: undefined }
  }
  return { status, headers, text, etag: operation.carriesETag ? etagOf(body, () => text) : undefined }
}

function nextLink(url: string, cursor: string): string {
  const [path, query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}

function storedHeaders(answer: Answer): Record<string, string> {
  return { ...answer.headers, ...(answer.etag !== undefined && { ETag: answer.etag }) }
}
