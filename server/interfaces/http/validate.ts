import { createRequire } from 'node:module'
import url from 'node:url'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import express, { type Request, type RequestHandler, type Response } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import type { FieldError } from '../../../client/contract.gen.ts'
import { type Contract, ContractError, type Operation } from '../../platform/calls/contract.ts'
import { Upload } from '../../platform/calls/upload.ts'
import { LONGEST_MESSAGE, MOST_FAULTS } from '../../platform/problems/faults.ts'
import { COMPILED_FAST, formats } from '../../platform/problems/formats.ts'
import { invalid, LONGEST_POINTER } from '../../platform/problems/problem.ts'
import { unstorable } from './body.ts'
import { excerpt } from './excerpt.ts'
import { type Input, inputChecker } from './input.ts'

/**
 * Validates requests against the contract: express-openapi-validator checks a request, coerces its parameters and fills
 * in defaults. It tries all its paths in turn, so we give each path its own validator over its part of the contract,
 * created when the path is first requested; by then our own router has already found the path.
 */
export interface Validator {
  /** The input of a request, coerced and with defaults; throws a single `validation_failed` with every error. */
  check(operation: Operation, req: Request, res: Response): Promise<Input>
  /** The same for an input that is already an object. */
  checkInput(operation: Operation, input: Input): Input
  /** Compiles every schema, so that the first requests do not have to; throws on one that cannot be compiled. */
  compileAll(options?: { pause(): Promise<void> }): Promise<void>
}

export function createValidator(contract: Contract): Validator {
  warnOfUrlParse()
  skipMetaSchema()
  compileFast()
  compileTogether()
  // An object of its own, by which the library's schemas of this contract are told from those of another.
  const ajvFormats = { mode: 'full' } as const
  const handlers = new Map<string, RequestHandler[]>()
  const places = new Map<string, Place>()
  const inputs = inputChecker(contract)
  // A query that was valid once stays valid, and clients that poll a list send the same one each time.
  const accepted = new Map<string, Record<string, unknown>>()

  function handlersOf({ path }: Operation): RequestHandler[] {
    let found = handlers.get(path)
    if (found === undefined) {
      found = OpenApiValidator.middleware({
        // biome-ignore lint/suspicious/noExplicitAny: the library's type of a document is that of OpenAPI 3.0.
        apiSpec: excerpt(contract.document, path) as any,
        validateApiSpec: false,
        validateRequests: { allErrors: true, allowUnknownQueryParameters: false, coerceTypes: false },
        validateResponses: false,
        validateSecurity: false,
        fileUploader: false,
        ajvFormats,
        formats,
      }) as unknown as RequestHandler[]
      handlers.set(path, found)
    }
    return found
  }

  async function check(operation: Operation, req: Request, res: Response): Promise<Input> {
    const search = searchOf(req)
    const bringsHeaders = bringsAny(req, operation.headers)
    const path = req.params as Record<string, string>
    // Without a query, a body or a header that the contract declares, nothing can be invalid.
    if (search === '' && !operation.takesBody && !operation.takesQuery && !bringsHeaders) {
      return { path, query: {}, body: undefined }
    }
    const known = operation.takesBody || bringsHeaders ? null : `${operation.id}${search}`
    const before = known === null ? undefined : accepted.get(known)
    if (before !== undefined) return { path, query: { ...before }, body: undefined }
    const sent = search === '' ? {} : { ...req.query }
    if (req.body instanceof Upload) return checkBeside(operation, req, sent)
    // Ajv copies all errors so far for each further one, so that many of them take seconds.
    const first =
      operation.takesBody && hasMoreValues(req.body, MOST_LISTED) ? inputs.firstFault(operation, req.body) : undefined
    if (first !== undefined) throw invalid([first])
    const refusal = await judge(operation, req, res)
    const faults = refusal === null ? [] : explain(operation, req, refusal)
    faults.push(...unseen(sent, req.query))
    if (faults.length > 0) throw invalid(faults.slice(0, MOST_FAULTS))
    if (known !== null && known.length < LONGEST_REMEMBERED) {
      if (accepted.size >= MOST_REMEMBERED) accepted.clear()
      accepted.set(known, { ...req.query })
    }
    return { path, query: req.query, body: req.body }
  }

  // The library would have to read the file to check it, so that an upload has our own check alone.
  function checkBeside(operation: Operation, { params, headers, body }: Request, sent: Record<string, unknown>): Input {
    const { faults, query } = inputs.read({ ...operation, takesBody: false }, { query: sent, headers, body: undefined })
    faults.push(...unseen(sent, query))
    if (faults.length > 0) throw invalid(faults.slice(0, MOST_FAULTS))
    return { path: params as Record<string, string>, query, body }
  }

  /** Why the library refuses the request; null if it accepts it. */
  async function judge(operation: Operation, req: Placed, res: Response): Promise<Refusal | null> {
    settleContentType(operation, req)
    const name = `${req.method} ${operation.path}`
    const place = places.get(name)
    const all = handlersOf(operation)
    try {
      if (place === undefined) await passed(all, req, res)
      else {
        req.openapi = place
        await passed(all.slice(-1), req, res)
      }
      return null
    } catch (error) {
      if (error instanceof OpenApiValidator.error.BadRequest) return error
      throw error
    } finally {
      // What is in the path is looked up, and not checked.
      if (place === undefined && req.openapi !== undefined) places.set(name, { ...req.openapi, pathParams: {} })
    }
  }

  // The library reports errors as text, and stops at the first unknown parameter.
  function explain(operation: Operation, { query, headers, body }: Request, refusal: Refusal): FieldError[] {
    const faults = inputs.explain(operation, { query, headers, body })
    return faults.length > 0 ? faults : asTold(refusal)
  }

  return {
    check,
    checkInput(operation, input) {
      const faults = inputs.check(operation, input)
      if (faults.length > 0) throw invalid(faults.slice(0, MOST_FAULTS))
      return input
    },
    async compileAll(options) {
      const app = express()
      for (const operation of contract.operations.values()) {
        const { req, res } = unsent(app, operation)
        await judge(operation, req, res).catch((error) => {
          throw new ContractError(`The validator rejects ${operation.id}: ${(error as Error).message}`, {
            cause: error,
          })
        })
        await options?.pause()
      }
    },
  }
}

/**
 * Where in its document the library finds an operation. For each request it would look for it again, by a pattern that it
 * makes of each path; only the last of its handlers checks the request.
 */
interface Place {
  pathParams: Record<string, string>
}
type Placed = Request & { openapi?: Place }

type Refusal = InstanceType<typeof OpenApiValidator.error.BadRequest>

const MOST_REMEMBERED = 5000
const LONGEST_REMEMBERED = 500

/** Of a body with more values, only the first fault is listed. */
const MOST_LISTED = 10_000

/** Whether an object or array has more members than this, at all levels. */
function hasMoreValues(value: unknown, most: number): boolean {
  let left = most
  const count = (inner: unknown): void => {
    if (typeof inner !== 'object' || inner === null) return
    const members = Object.values(inner)
    left -= members.length
    for (const member of members) {
      if (left < 0) return
      count(member)
    }
  }
  count(value)
  return left < 0
}

/** Runs a request through handlers one after the other, as Express would. */
function passed(handlers: readonly RequestHandler[], req: Request, res: Response): Promise<void> {
  return new Promise((done, fail) => {
    let at = 0
    const next = (error?: unknown): void => {
      const handler = handlers[at++]
      if (error) fail(error)
      else if (handler === undefined) done()
      else handler(req, res, next)
    }
    next()
  })
}

function searchOf({ url }: Request): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

function bringsAny({ headers }: Request, names: ReadonlySet<string>): boolean {
  for (const name of names) if (headers[name] !== undefined) return true
  return false
}

// The library caches a compiled validator per content type. Whatever type was sent, the body is JSON by now.
function settleContentType(operation: Operation, { headers }: Request): void {
  if (operation.takesBody) headers['content-type'] = 'application/json'
  else if (headers['content-type'] !== undefined) delete headers['content-type']
}

/**
 * The "query parser" that we set in Express: a name that is sent more than once becomes a list of values. The object
 * has no prototype, so it has no names but those that were sent.
 */
export function parseQuery(text: string | null | undefined): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null)
  if (!text) return query
  // A leading question mark is part of the query, but URLSearchParams would strip it.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    query[name] = name in query ? ([] as unknown[]).concat(query[name], value) : value
  }
  return query
}

// What the library accepts although the contract does not: a text that no column can hold, and numbers that only
// JavaScript would read as such, like 0x10, 1e400 and " 5".
function unseen(sent: Record<string, unknown>, read: Record<string, unknown>): FieldError[] {
  return Object.entries(sent).flatMap(([name, text]) => {
    const pointer = name.slice(0, LONGEST_POINTER)
    const refusal = unstorable(String(text))
    if (refusal !== null) return [{ pointer, code: 'format', message: refusal }]
    if (typeof read[name] === 'number' && !/^-?\d{1,15}(\.\d{1,15})?$/.test(String(text))) {
      return [{ pointer, code: 'type', message: 'must be a number, written in digits' }]
    }
    return []
  })
}

// If the library ever refuses what our own check accepts, its messages are passed on.
function asTold({ errors }: Refusal): FieldError[] {
  return errors.map(({ path, message, errorCode = 'invalid' }) => ({
    pointer: path.replace(/^\/(body(?=\/|$)|(query|headers)\/)/, '').slice(0, LONGEST_POINTER),
    code: errorCode.split('.')[0] ?? errorCode,
    message: message.slice(0, LONGEST_MESSAGE),
  }))
}

/** A fake request. The library compiles an operation's schemas when it sees the first request. */
function unsent(app: express.Express, { method, path, takesBody }: Operation): { req: Request; res: Response } {
  const own = { method, url: path, originalUrl: path, baseUrl: '', headers: {}, body: takesBody ? {} : undefined }
  return { req: Object.assign(Object.create(app.request), own), res: Object.create(app.response) }
}

// The library calls url.parse() for every request. Until Node has issued its deprecation warning once, it inspects the
// caller each time, which takes longer than the rest of the check. So we trigger the warning here, silenced.
function warnOfUrlParse(): void {
  const { noDeprecation = false } = process
  process.noDeprecation = true
  url.parse('/')
  process.noDeprecation = noDeprecation
}

const inLibrary = createRequire(import.meta.url)

/**
 * For each document, which here is each path, the library compiles the schema of OpenAPI itself, even when told not to
 * validate the document by it. That was half of the processor time of a start, so here the compiled schema, which
 * nothing would use, is none. The version of the library is pinned because this replaces a class inside it.
 */
function skipMetaSchema(): void {
  const inside: { OpenAPISchemaValidator: unknown } = inLibrary(
    'express-openapi-validator/dist/framework/openapi.schema.validator.js',
  )
  inside.OpenAPISchemaValidator = class {}
}

type Options = (this: object) => object
const { AjvOptions: LibraryOptions }: { AjvOptions: { prototype: { baseOptions: Options } } } = inLibrary(
  'express-openapi-validator/dist/framework/ajv/options.js',
)
const libraryOptions = LibraryOptions.prototype.baseOptions

/**
 * The library has no option for how its Ajv compiles. With ours all schemas of the contract are compiled in four fifths
 * of the time, and what is compiled keeps a quarter less memory.
 */
function compileFast(): void {
  LibraryOptions.prototype.baseOptions = function () {
    return { ...libraryOptions.call(this), ...COMPILED_FAST }
  }
}

interface Compiling {
  allErrors?: boolean
  coerceTypes: boolean
  ajvFormats: object
}
type Components = { components?: { schemas?: Record<string, object> } }
type Compiler = Pick<Ajv2020, 'getSchema' | 'compile'>
const ajvs: { createRequestAjv(document: Components, options: Compiling): Compiler } = inLibrary(
  'express-openapi-validator/dist/framework/ajv/index.js',
)
const createLibraryAjv = ajvs.createRequestAjv as (...given: Parameters<typeof ajvs.createRequestAjv>) => Ajv2020

/** By the `ajvFormats` of a contract, and then by whether a half of a request is coerced. */
const sharedAjvs = new WeakMap<object, Map<boolean, Ajv2020>>()

/**
 * The library has three Ajvs for each document: one to prepare it and one for each half of its requests. Every one keeps
 * rules of its own and compiles again what others have compiled. Here all documents of a contract share one for each
 * half, and each schema is compiled once, for all operations that refer to it: half of the memory.
 */
function compileTogether(): void {
  ajvs.createRequestAjv = (document, options) => {
    // Only requests are checked for all errors.
    if (options.allErrors === undefined) return preparing(document, options)
    const halves = sharedAjvs.get(options.ajvFormats) ?? new Map<boolean, Ajv2020>()
    sharedAjvs.set(options.ajvFormats, halves)
    const ajv = halves.get(options.coerceTypes) ?? createLibraryAjv({ ...document, components: {} }, options)
    halves.set(options.coerceTypes, ajv)
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      const reference = `#/components/schemas/${name}`
      if (ajv.schemas[reference] === undefined) ajv.addSchema(schema, reference)
    }
    return ajv
  }
  // Under a name of its own, which the library would give it, a schema has all that it refers to compiled again.
  const inside: { useAjvCache: unknown } = inLibrary('express-openapi-validator/dist/middlewares/util.js')
  inside.useAjvCache = (ajv: Ajv2020, schema: object) => ajv.compile(schema)
}

/** Whoever prepares a document asks for schemas only to look at them, and looks into the document if there are none. */
function preparing(document: Components, options: Compiling): Compiler {
  return {
    getSchema: () => undefined,
    compile: (...given: Parameters<Compiler['compile']>) => createLibraryAjv(document, options).compile(...given),
  } as Compiler
}
