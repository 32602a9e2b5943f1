import url from 'node:url'
import express from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import type { FieldError } from '../../client/contract.gen.ts'
import { type Contract, type ContractDocument, ContractError, type Operation, type Schema } from './contract.ts'
import { formats } from './formats.ts'
import { invalid, LONGEST_POINTER } from './problem.ts'

/**
 * Checks requests by the contract, with express-openapi-validator. Its cost grows with the paths that one instance knows
 * (it tries them in turn), so every path has an instance of its own over its part of the contract, made when the path is
 * first asked for. Our own router has found the path by then.
 */
export interface Validator {
  /** The input with types coerced and defaults filled in; throws one `validation_failed` with every fault. */
  check(operation: Operation, request: UncheckedRequest): Promise<CheckedInput>
  /** Compiles every schema, so that the first requests need not; throws on one that cannot be compiled. */
  compileAll(options?: { pause(): Promise<void> }): Promise<void>
}

export interface UncheckedRequest {
  /** As it was sent, query included. */
  url: string
  params: Record<string, string>
  headers: Record<string, string | string[] | undefined>
  body: unknown
}

export interface CheckedInput {
  path: Record<string, string>
  query: Record<string, unknown>
  body: unknown
}

export function createValidator(contract: Contract): Validator {
  warnOfUrlParse()
  const chains = new Map<string, Middleware[]>()
  // A query that was found valid is valid whenever it comes again, and whoever polls a list sends the same one each time.
  const accepted = new Map<string, Record<string, unknown>>()
  // The validator asks the application for its routing settings, and for nothing else.
  const app = express().enable('strict routing').enable('case sensitive routing')

  function chainOf(operation: Operation): Middleware[] {
    let chain = chains.get(operation.path)
    if (chain === undefined) {
      chain = OpenApiValidator.middleware({
        // biome-ignore lint/suspicious/noExplicitAny: the library's type of a document is that of OpenAPI 3.0.
        apiSpec: cut(contract.document, operation.path) as any,
        validateApiSpec: false,
        validateRequests: { allErrors: true, allowUnknownQueryParameters: false, coerceTypes: false },
        validateResponses: false,
        validateSecurity: false,
        fileUploader: false,
        useRequestUrl: true,
        ajvFormats: { mode: 'full' },
        formats,
      }) as unknown as Middleware[]
      chains.set(operation.path, chain)
    }
    return chain
  }

  async function check(operation: Operation, request: UncheckedRequest): Promise<CheckedInput> {
    const start = request.url.indexOf('?')
    if (start === -1 && !operation.takesBody && bringsNothing(operation, request)) {
      return { path: request.params, query: {}, body: undefined }
    }
    const search = start === -1 ? '' : request.url.slice(start)
    const known = operation.takesBody || hasAny(request.headers) ? null : `${operation.id}${search}`
    const before = known === null ? undefined : accepted.get(known)
    if (before !== undefined) return { path: request.params, query: { ...before }, body: undefined }
    const { query, faults } = readQuery(search)
    const sent = { ...query }
    const view = {
      app,
      method: operation.method,
      url: PATH,
      originalUrl: PATH + search,
      baseUrl: '',
      path: PATH,
      headers: request.headers,
      params: {},
      query,
      body: request.body,
    }
    try {
      await run(chainOf(operation), view)
    } catch (error) {
      if ((error as { status?: unknown }).status !== 400) throw error
      faults.push(...readFaults(error as ValidatorError))
    }
    for (const [name, text] of Object.entries(sent)) {
      // The validator takes for a number what JavaScript does: 0x10, 1e400, " 5".
      if (typeof view.query[name] === 'number' && !/^-?\d{1,15}(\.\d{1,15})?$/.test(String(text))) {
        faults.push({ pointer: name, code: 'type', message: 'must be a number, written in digits' })
      }
    }
    if (faults.length > 0) throw invalid(faults)
    if (known !== null && known.length < LONGEST_REMEMBERED) {
      if (accepted.size >= MOST_REMEMBERED) accepted.clear()
      accepted.set(known, { ...view.query })
    }
    return { path: request.params, query: view.query, body: view.body }
  }

  return {
    check,
    async compileAll(options) {
      for (const operation of contract.operations.values()) {
        const headers = operation.takesBody ? { 'content-type': 'application/json' } : {}
        // A parameter that no operation has, so that there is something to check.
        const url = '/?compile=true'
        await check(operation, { url, params: {}, headers, body: operation.takesBody ? {} : undefined }).catch(
          (error) => {
            if ((error as { code?: unknown }).code === 'validation_failed') return
            throw new ContractError(`The validator rejects ${operation.id}: ${(error as Error).message}`, {
              cause: error,
            })
          },
        )
        await options?.pause()
      }
    },
  }
}

// The router has found the path and read its parameters, which are ids that a look-up judges. The validator is given the
// rest of the request under a path without any.
const PATH = '/'

const MOST_REMEMBERED = 5000
const LONGEST_REMEMBERED = 500

function hasAny(headers: object): boolean {
  for (const _ in headers) return true
  return false
}

// Without a query, a body or a header that the contract declares there is nothing that could be at fault.
function bringsNothing(operation: Operation, request: UncheckedRequest): boolean {
  return !operation.takesQuery && !hasAny(request.headers)
}

// The validator calls url.parse() for every request. Until Node has warned once that this is an old function, it looks each
// time who the caller is, which takes longer than the rest of the check. So it warns here, where nobody is told.
function warnOfUrlParse(): void {
  const { noDeprecation = false } = process
  process.noDeprecation = true
  url.parse(PATH)
  process.noDeprecation = noDeprecation
}

type Middleware = (req: unknown, res: unknown, next: (error?: unknown) => void) => unknown

function run(chain: readonly Middleware[], view: object): Promise<void> {
  return new Promise((done, fail) => {
    let at = 0
    const next = (error?: unknown): void => {
      const step = chain[at++]
      if (error !== undefined && error !== null) fail(error)
      else if (step === undefined) done()
      else {
        try {
          step(view, null, next)
        } catch (thrown) {
          fail(thrown)
        }
      }
    }
    next()
  })
}

/** The part of the contract that one path needs: itself and the components that it refers to, directly or not. */
export function cut(document: ContractDocument, path: string): ContractDocument {
  const item = document.paths[path]
  if (item === undefined) throw new ContractError(`${path} is not in the contract.`)
  const components: Record<string, Record<string, unknown>> = {}
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    const copy: Record<string, unknown> = {}
    for (const [key, inner] of Object.entries(value)) {
      // Neither examples nor answers are looked at when a request is checked.
      if (key === 'examples' || key === 'example') continue
      copy[key] = key === 'responses' ? { default: { description: 'Any.' } } : visit(inner)
    }
    if (copy.in === 'query') {
      // A reserved character that was not percent-encoded (a colon in an instant) is unambiguous here; let it pass.
      copy.allowReserved = true
    }
    if (typeof copy.$ref === 'string') {
      const [, , kind, name] = copy.$ref.split('/')
      if (kind !== undefined && name !== undefined && components[kind]?.[name] === undefined) {
        components[kind] ??= {}
        components[kind][name] = {}
        components[kind][name] = visit(document.components[kind]?.[name])
      }
    }
    return copy
  }
  const { parameters = [], ...rest } = visit(item) as ContractDocument['paths'][string]
  // The validator follows the references of parameters anew on every request, so they are written out.
  const written = (all: object[]) => all.map((each) => writeOut(components, each)).filter((each) => each.in !== 'path')
  for (const operation of Object.values(rest) as { parameters?: object[] }[]) {
    operation.parameters = written([...parameters, ...(operation.parameters ?? [])])
  }
  const paths = { [PATH]: rest } as unknown as ContractDocument['paths']
  const { openapi, info, jsonSchemaDialect } = document as ContractDocument & { jsonSchemaDialect?: string }
  return {
    openapi,
    info: { title: info.title, version: info.version },
    ...(jsonSchemaDialect && { jsonSchemaDialect }),
    paths,
    components,
  } as ContractDocument
}

function writeOut(components: Record<string, Record<string, unknown>>, value: object): Record<string, unknown> {
  if ('$ref' in value && typeof value.$ref === 'string') {
    const { $ref, ...beside } = value
    const [, , kind = '', name = ''] = $ref.split('/')
    return { ...writeOut(components, components[kind]?.[name] as object), ...beside }
  }
  const copy: Record<string, unknown> = { ...value }
  if (typeof copy.schema === 'object' && copy.schema !== null) copy.schema = writeOut(components, copy.schema)
  if (typeof copy.items === 'object' && copy.items !== null) copy.items = writeOut(components, copy.items)
  return copy
}

function readQuery(search: string): { query: Record<string, unknown>; faults: FieldError[] } {
  const query: Record<string, unknown> = {}
  const faults: FieldError[] = []
  if (search === '') return { query, faults }
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === '__proto__')
      faults.push({ pointer: name, code: 'unknown', message: 'is not a parameter of this operation' })
    else if (value.includes('\0'))
      faults.push({ pointer: name, code: 'format', message: 'must not contain the character U+0000' })
    else if (Object.hasOwn(query, name)) query[name] = ([] as unknown[]).concat(query[name], value)
    else query[name] = value
  }
  return { query, faults }
}

interface ValidatorError {
  path?: string
  message: string
  errors?: { path: string; message: string; errorCode?: string }[]
}

// The validator speaks of /body/lines/0, /query/limit and /headers/if-match; callers know pointers into their body and
// the names of their parameters.
function readFaults(error: ValidatorError): FieldError[] {
  const all = error.errors ?? [{ path: error.path ?? '', message: error.message }]
  const faults = all.map(({ path, message, errorCode }) => ({
    pointer: pointer(path).slice(0, LONGEST_POINTER),
    code: code(errorCode, message),
    message: message.slice(0, LONGEST_MESSAGE),
  }))
  // Where a value may be null or something else, being not null is no fault of its own beside the real one.
  const telling = faults.filter((fault) => fault.code !== 'anyOf' && fault.message !== 'must be null')
  const listed = telling.length > 0 ? telling : faults
  const once = new Map(listed.map((fault) => [`${fault.pointer} ${fault.message}`, fault]))
  return [...once.values()].slice(0, MOST_FAULTS)
}

const LONGEST_MESSAGE = 1000
const MOST_FAULTS = 1000

function pointer(path: string): string {
  if (path === '/body' || path.startsWith('/body/')) return path.slice('/body'.length)
  return path.replace(/^\/(query|params|headers|cookies)\//, '').replace(/^\//, '')
}

function code(errorCode: string | undefined, message: string): string {
  const keyword = errorCode?.split('.')[0]
  if (keyword !== undefined && keyword !== '') return keyword === 'additionalProperties' ? 'unknown' : keyword
  return message.startsWith('Unknown query parameter') ? 'unknown' : 'invalid'
}

export type { Schema }
