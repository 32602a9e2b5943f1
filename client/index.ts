import createOpenApiClient, { type Client } from 'openapi-fetch'
import type { Call, Given, Item, ListPath, Method, Options } from './calls.ts'
import type { paths } from './contract.gen.ts'
import { createAuthorizedSend, type GiveKey } from './key.ts'
import { type Answer, isProblem, orThrow, PlumblineError } from './problem.ts'
import { createRetryingSend, type RetryOptions } from './retry.ts'
import type { ExecuteArguments, ExecuteOptions, ExecutionOf, SkillName } from './skills.ts'

export type { Call, Data, Item, ListPath, Options, PathWith } from './calls.ts'
export type * from './contract.gen.ts'
/** A problem whose code is not known yet, with the type that `openapi` generates. */
export type { Problem as AnyProblem } from './contract.gen.ts'
export type { GiveKey } from './key.ts'
export { type Answer, etagOf, orThrow, PlumblineError, type Problem, type ProblemOf } from './problem.ts'
export { ConflictReason } from './problems.gen.ts'
export type { Retry, RetryOptions } from './retry.ts'
export type { ExecuteOptions, ExecutionOf, SkillInput, SkillName, SkillResult, Skills } from './skills.ts'
export * from './webhooks.ts'

export interface ClientOptions {
  /** The URL of the service without /api/ext, such as `https://plumbline.example.com`. */
  baseUrl: string
  /**
   * An API key, `plb_…`, or a function that returns the current key, such as a page's browser token. The function is
   * called again once the service reports that the key has expired. If the function throws, the call throws the same
   * error.
   */
  key: string | GiveKey
  /** The function that sends requests. Defaults to the global fetch. */
  fetch?: typeof fetch
  /** The limits for retries of a failed request. */
  retry?: RetryOptions
}

/**
 * A client whose paths, parameters, bodies, and responses have the types of the contract. A call resolves to
 * `{ data, response }` or `{ error, response }`, where `error` is a problem of the contract. `orThrow` returns the data
 * or throws the error as an exception. A call throws if there was no response, or if the response did not come from the
 * service.
 */
export interface PlumblineClient {
  GET: Call<'get'>
  /** Every POST has an Idempotency-Key: the key in `params.header`, or a new key. */
  POST: Call<'post'>
  PUT: Call<'put'>
  PATCH: Call<'patch'>
  DELETE: Call<'delete'>
  /**
   * Iterates over every item of a list and fetches the list page by page. Throws PlumblineError if a page is rejected.
   *
   *     for await (const vendor of client.pages('/api/ext/vendors', { params: { query: { scope: 'framing' } } })) …
   */
  pages<Path extends ListPath>(
    path: Path,
    ...options: Given<Options<paths[Path]['get']>>
  ): AsyncGenerator<Item<Path>, void, undefined>
  /**
   * Runs a skill: an operation by its operationId, or a composite skill. Throws PlumblineError if the skill is
   * rejected.
   *
   *     const { result } = await client.execute('awardBid', { bidId, createPurchaseOrder: true }, { dryRun: true })
   */
  execute<Name extends SkillName>(skill: Name, ...given: ExecuteArguments<Name>): Promise<ExecutionOf<Name>>
  /**
   * The underlying openapi-fetch client. Use it to add middleware, and with libraries that are built on openapi-fetch.
   */
  readonly openapi: Client<paths>
}

/** Returns the `parseAs` option for a response that is not JSON: the contract as YAML, or a file. */
function parseOptions(path: string): { parseAs?: 'text' | 'blob' } {
  if (path.endsWith('.yaml')) return { parseAs: 'text' }
  return /(\/(content|pdf)|\.(csv|ndjson))$/.test(path) ? { parseAs: 'blob' } : {}
}

/** Returns the options for a body that is not JSON: a file, sent as it is. */
function bodyOptions(options: { body?: unknown } | undefined): object {
  if (!(options?.body instanceof Blob)) return {}
  return { bodySerializer: (body: Blob) => body, headers: { 'Content-Type': 'application/octet-stream' } }
}

export function createClient({ baseUrl, key, fetch: send = fetch, retry = {} }: ClientOptions): PlumblineClient {
  // Untyped programs can pass undefined, for example if an environment variable is not set.
  if (key === '' || key === undefined)
    throw new TypeError('The API key is missing. Check that its environment variable is set.')
  // Wraps fetch in a plain function, because browsers reject a fetch that is called as a method of another object.
  const plain = (request: Request, init: { signal: AbortSignal }) => send(request, init)
  const openapi = createOpenApiClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    ...(typeof key === 'string' && { headers: { Authorization: `Bearer ${key}` } }),
    // The contract specifies that lists in a query are written as `?ids=a,b`.
    querySerializer: { array: { style: 'form', explode: false } },
    fetch: createRetryingSend(typeof key === 'string' ? plain : createAuthorizedSend(key, plain), retry),
  })

  const calling = (method: Uppercase<Method>) => {
    const call = openapi[method] as (path: string, options?: object) => Promise<Answer<unknown>>
    return async (path: string, options?: object) => {
      const answer = await call(path, { ...parseOptions(path), ...bodyOptions(options), ...options })
      const { error, response } = answer
      if (!response.ok && response.status !== 304 && !isProblem(error)) throw new PlumblineError(response, error)
      return answer
    }
  }

  const GET = calling('GET')
  const POST = calling('POST')

  async function* pages(path: string, options: { params?: { query?: object } } = {}) {
    for (let query = options.params?.query; ; ) {
      const answer = await orThrow(GET(path, { ...options, params: { ...options.params, query } }))
      const { data, nextCursor } = answer as { data: unknown[]; nextCursor: string | null }
      yield* data
      if (nextCursor === null) return
      query = { ...query, cursor: nextCursor }
    }
  }

  function execute(skill: string, input: object = {}, { dryRun = false, idempotencyKey, signal }: ExecuteOptions = {}) {
    const header = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }
    return orThrow(POST('/api/ext/execute', { params: { header }, body: { skill, input, dryRun }, signal }))
  }

  const client = {
    GET,
    POST,
    PUT: calling('PUT'),
    PATCH: calling('PATCH'),
    DELETE: calling('DELETE'),
    pages,
    execute,
    openapi,
  }
  // Inside this function, paths and skills are strings. Callers see the types of the contract.
  return client as unknown as PlumblineClient
}
