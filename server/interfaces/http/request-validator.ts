import express, { type Request, type Response, Router } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import type { FieldError } from '../../../client/contract.gen.ts'
import { type Contract, ContractError, type Operation } from '../../platform/calls/contract.ts'
import { Upload } from '../../platform/calls/upload.ts'
import { MAX_FIELD_ERRORS, MAX_MESSAGE_LENGTH } from '../../platform/problems/field-errors.ts'
import { formats } from '../../platform/problems/formats.ts'
import { MAX_POINTER_LENGTH, validationFailed } from '../../platform/problems/problem.ts'
import { trimTypedKeys } from '../../platform/values/typed-keys.ts'
import { createInputChecker, type Input } from './input-checker.ts'
import { explainUnstorableText } from './request-body.ts'
import { buildRequestDocument, getTag } from './request-document.ts'

/**
 * Validates requests against the contract. The library express-openapi-validator decides whether a request is valid,
 * converts its parameters, and fills in defaults. Each tag has its own validator, created at the tag's first request,
 * because the library tries the paths of a document one by one. If the library rejects a request, Ajv checks it again,
 * and the messages are written from the rules that Ajv reports as violated.
 */
export interface Validator {
  /**
   * Returns the input of a request, with converted values and defaults. Throws one `validation_failed` problem that
   * lists all errors. If a currency is given, amounts with more decimals than the currency allows are also errors.
   */
  check(operation: Operation, req: Request, res: Response, currency?: string): Promise<Input>
  /** Works like `check`, but for an input that is already an object. */
  checkInput(operation: Operation, input: Input, currency?: string): Input
  /** Throws `validation_failed` if an amount in a valid input has more decimals than the currency allows. */
  checkDecimals(operation: Operation, input: Input, currency: string): void
  /** Compiles every schema, so that the first requests are not delayed. Throws if a schema cannot be compiled. */
  compileAll(options?: { pause(): Promise<void> }): Promise<void>
}

export function createValidator(contract: Contract): Validator {
  const routers = new Map<string, Router>()
  const inputs = createInputChecker(contract)

  function routerOf(operation: Operation): Router {
    const tag = getTag(operation)
    let router = routers.get(tag)
    if (router === undefined) {
      router = Router().use(
        OpenApiValidator.middleware({
          apiSpec: buildRequestDocument(contract, tag) as ApiSpec,
          validateApiSpec: false,
          validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false },
          validateResponses: false,
          // The service has already authenticated the caller.
          validateSecurity: false,
          fileUploader: false,
          ajvFormats: { mode: 'full' },
          formats,
        }),
      )
      routers.set(tag, router)
    }
    return router
  }

  async function check(operation: Operation, req: Request, res: Response, currency?: string): Promise<Input> {
    const path = req.params as Record<string, string>
    if (!hasInput(operation, req)) return { path, query: {}, body: undefined }
    const sent = { ...req.query }
    if (!(req.body instanceof Upload)) trimTypedKeys(req.body)
    if (req.body instanceof Upload) return checkBeside(operation, req, sent)
    const rejection = await validate(operation, req, res)
    const errors =
      rejection === null
        ? findUnknownParameters(sent, req.query)
        : explain(operation, { sent, currency }, req, rejection)
    if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_FIELD_ERRORS))
    return { path, query: req.query, body: req.body }
  }

  // Checks an upload with the input checker alone, because the library would have to read the file.
  function checkBeside(operation: Operation, { params, headers, body }: Request, sent: Record<string, unknown>): Input {
    const { faults, query } = inputs.read({ ...operation, takesBody: false }, { query: sent, headers, body: undefined })
    faults.push(...findUnknownParameters(sent, query))
    if (faults.length > 0) throw validationFailed(faults.slice(0, MAX_FIELD_ERRORS))
    return { path: params as Record<string, string>, query, body }
  }

  /** Returns the library's rejection of the request; null if the library accepts the request. */
  async function validate(operation: Operation, req: Request, res: Response): Promise<Rejection | null> {
    normalizeContentType(operation, req)
    const error = await new Promise<unknown>((done) => {
      routerOf(operation)(req, res, done)
    })
    if (error instanceof OpenApiValidator.error.BadRequest) return error
    if (error !== undefined) throw error
    return null
  }

  // Finds all errors with the input checker, because the library stops at the first error and describes it only as
  // text.
  function explain(
    operation: Operation,
    { sent, currency }: { sent: Record<string, unknown>; currency: string | undefined },
    { headers, body }: Request,
    rejection: Rejection,
  ): FieldError[] {
    // For each error, Ajv copies all previous errors, so finding all errors in a large body would take seconds.
    const isLarge = operation.takesBody && hasMoreValuesThan(body, MAX_LISTED)
    const first = isLarge ? inputs.firstFault(operation, body) : undefined
    if (first !== undefined) return [first]
    const { faults, query } = inputs.read(operation, { query: sent, headers, body }, currency)
    faults.push(...findUnknownParameters(sent, query))
    return faults.length > 0 ? faults : toFieldErrors(rejection)
  }

  return {
    check,
    checkInput(operation, input, currency) {
      trimTypedKeys(input.body)
      const errors = inputs.check(operation, input, currency)
      if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_FIELD_ERRORS))
      return input
    },
    checkDecimals(operation, input, currency) {
      const isLarge = operation.takesBody && hasMoreValuesThan(input.body, MAX_LISTED)
      const errors = inputs.checkDecimals(operation, input, { currency, isLarge })
      if (errors.length > 0) throw validationFailed(errors.slice(0, MAX_FIELD_ERRORS))
    },
    async compileAll(options) {
      const app = express()
      for (const operation of contract.operations.values()) {
        const { req, res } = createEmptyRequest(app, operation)
        await validate(operation, req, res).catch((error) => {
          throw new ContractError(`The validator rejects ${operation.id}: ${(error as Error).message}`, {
            cause: error,
          })
        })
        await options?.pause()
      }
    },
  }
}

type ApiSpec = Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec']
type Rejection = InstanceType<typeof OpenApiValidator.error.BadRequest>

/** If a body has more values than this number, only the first error is reported. */
const MAX_LISTED = 10_000

/** Returns whether an object or array has more than `max` members at all levels together. */
function hasMoreValuesThan(value: unknown, max: number): boolean {
  let left = max
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

/**
 * Returns whether a request has a query, a body, or a declared header. Without these, nothing can be invalid or need a
 * default.
 */
function hasInput({ takesBody, takesQuery, headers }: Operation, req: Request): boolean {
  if (takesBody || takesQuery || req.url.includes('?')) return true
  for (const name of headers) if (req.headers[name] !== undefined) return true
  return false
}

// The library caches a compiled validator for each content type. The body has already been parsed as JSON, so the
// content type that the client sent does not matter.
function normalizeContentType(operation: Operation, { headers }: Request): void {
  if (operation.takesBody) headers['content-type'] = 'application/json'
  else if (headers['content-type'] !== undefined) delete headers['content-type']
}

/**
 * Parses a query. Express uses this function as its "query parser". If a name occurs more than once, its value is a
 * list. The returned object has no prototype, so that it contains only names from the query.
 */
export function parseQuery(text: string | null | undefined): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null)
  if (!text) return query
  // Adds a question mark, because URLSearchParams removes the first one, which may be part of the query.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    query[name] = name in query ? ([] as unknown[]).concat(query[name], value) : value
  }
  return query
}

// Returns the errors that the library misses: texts that no column can store, and numbers that only JavaScript accepts,
// such as 0x10, 1e400, and " 5".
function findUnknownParameters(sent: Record<string, unknown>, read: Record<string, unknown>): FieldError[] {
  return Object.entries(sent).flatMap(([name, text]) => {
    const pointer = name.slice(0, MAX_POINTER_LENGTH)
    const problem = explainUnstorableText(String(text))
    if (problem !== null) return [{ pointer, code: 'format', message: problem }]
    if (text !== '' && typeof read[name] === 'number' && !/^-?\d{1,15}(\.\d{1,15})?$/.test(String(text))) {
      return [{ pointer, code: 'type', message: 'must be a number' }]
    }
    return []
  })
}

// If the input checker finds no error in a request that the library rejects, the caller gets the library's messages.
function toFieldErrors({ errors }: Rejection): FieldError[] {
  return errors.map(({ path, message, errorCode = 'invalid' }) => ({
    pointer: path.replace(/^\/(body(?=\/|$)|(query|headers)\/)/, '').slice(0, MAX_POINTER_LENGTH),
    code: errorCode.split('.')[0] ?? errorCode,
    message: message.slice(0, MAX_MESSAGE_LENGTH),
  }))
}

/** Creates an empty request for an operation. With this request, the library compiles the schemas of the operation. */
function createEmptyRequest(
  app: express.Express,
  { method, path, takesBody }: Operation,
): { req: Request; res: Response } {
  const own = { method, url: path, originalUrl: path, baseUrl: '', headers: {}, body: takesBody ? {} : undefined }
  return { req: Object.assign(Object.create(app.request), own), res: Object.create(app.response) }
}
