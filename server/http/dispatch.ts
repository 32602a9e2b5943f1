import type { Request, Response } from 'express'
import { type Call, newCall, type Principal, type Surroundings } from './call.ts'
import type { Contract, Operation, OperationId } from './contract.ts'
import { etagOf } from './etag.ts'
import { idempotently, type Keepable, type KeptAnswer } from './idempotency.ts'
import type { Input } from './input.ts'
import { Json } from './json.ts'
import { locations, readers } from './location.ts'
import type { Answered, Handlers } from './operation.ts'
import { notFound, Problem, problem } from './problem.ts'
import { assertConcealing, type Repeat, type Repeats } from './repeat.ts'
import type { Validator } from './validate.ts'

/** A response before the headers that every response has are added. */
export interface Answer {
  status: number
  headers: Record<string, string>
  text: string | null
  etag: string | undefined
  type?: string
}

/** Who sends a request, from where, and its id in responses and logs. */
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
}

/** Any handler, if the operation is not known statically. Its input was validated by the contract that types it. */
type AnyHandler = (input: Input & { ifMatch?: string }, call: Call) => Promise<AnyReply>
interface AnyReply {
  status: number
  body?: object | string
  headers?: Record<string, string>
}

/**
 * Checks that the principal may call the operation at all: by a scheme that the operation accepts, with every
 * permission required under that scheme. Throws `permission_denied`.
 */
export function permit(principal: Principal, operation: Operation): void {
  const needed = operation.schemes.get(SCHEME_OF[principal.kind])
  if (needed === undefined) throw new Problem('permission_denied', `This operation is not open to a ${principal.kind}.`)
  for (const permission of needed) {
    if (!principal.permissions.has(permission))
      throw new Problem('permission_denied', `This operation needs ${needed.join(' and ')}.`, { permission })
  }
}

// Users and the service may call what keys may call, with their own permissions.
const SCHEME_OF: Readonly<Record<Principal['kind'], string>> = {
  key: 'apiKey',
  user: 'apiKey',
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
  const { contract, handlers, repeats, validator, surroundings } = parts
  assertConcealing(contract, repeats)
  const locationOf = locations(contract)
  const readerOf = readers(contract)

  async function perform(operation: Operation, req: Request, res: Response, sender: Sender): Promise<Answer> {
    req.params = decoded(req.params as Record<string, string>)
    const input = await validator.check(operation, req, res)
    const handler = handlers[operation.id] as unknown as AnyHandler
    const call = newCall(surroundings, sender)
    const ifMatch = declaredHeader(operation, req, 'if-match')
    const given = ifMatch === undefined ? input : { ...input, ifMatch }
    const key = declaredHeader(operation, req, 'idempotency-key')
    if (key === undefined) return toAnswer(operation, located(operation, await handler(given, call)), req.url)
    const request = { method: operation.method, url: req.url, body: req.body }
    return idempotently(call, key, request, {
      perform: async (call) => toAnswer(operation, located(operation, await handler(given, call)), req.url),
      keep: (answer) => keepable(operation, answer),
      tellAgain: (kept, call) => toldAgain(operation, kept, input, call),
    })
  }

  function keepable(operation: Operation, { status, headers, text, etag }: Answer): Keepable {
    const repeat = repeats[operation.id]
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
    if (text !== null) {
      const whole = repeat === undefined ? text : await revealed(repeat, text, call)
      if (whole !== null) return { status, headers, text: whole === '' ? null : whole, etag: undefined }
    }
    const reader = readerOf.get(operation.id)
    if (text !== null || reader === undefined || resourceId === null) {
      throw problem('answer_not_kept', `It was answered with ${status} at ${at}. Read the records that it was about.`)
    }
    const record = await operate(call, reader.id, { [reader.parameter]: resourceId })
    // Dropped, because the ETag must be that of the record as it is now.
    delete headers.ETag
    return toAnswer(operation, { status, headers, body: record as object }, '')
  }

  /** The reply with a Location for what was created, unless the handler has set one. */
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
    if (operation === undefined) throw new Error(`The contract has no operation ${id}.`)
    permit(call.principal, operation)
    const input = validator.checkInput(operation, spread(contract, operation, flat))
    const handler = handlers[id] as unknown as AnyHandler
    const { ifMatch } = flat
    const reply = await handler(typeof ifMatch === 'string' ? { ...input, ifMatch } : input, call)
    return (reply.body instanceof Json ? reply.body.value : reply.body) as Answered<Id>
  }

  return { perform, operate }
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
    // A query cannot hold null; treat it as left out.
    else if (value !== undefined && value !== null) query[name] = value
  }
  // Without a body, anything left over is an unknown parameter and is refused as one.
  const input = operation.takesBody ? { query, body: rest } : { query: { ...query, ...rest }, body: undefined }
  return { path: path as Record<string, string>, ...input }
}

function declaredHeader(operation: Operation, { headers }: Request, name: string): string | undefined {
  const value = headers[name]
  return operation.headers.has(name) && typeof value === 'string' ? value : undefined
}

// An id that cannot be decoded, or that no text column can hold, cannot exist.
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
  // The only non-JSON body is the contract as YAML.
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
