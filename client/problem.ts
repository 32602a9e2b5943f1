import type { Problem as AnyProblem, FieldError, ProblemCode } from './contract.gen.ts'
import type { ProblemMembers } from './problems.gen.ts'

type Common = 'type' | 'title' | 'status' | 'detail' | 'instance' | 'requestId' | 'errors'

type Special = Exclude<keyof AnyProblem, Common | 'code'>
type Members<Code extends ProblemCode> = Code extends keyof ProblemMembers ? ProblemMembers[Code] : unknown
type Whole<Code extends ProblemCode> = Pick<AnyProblem, Common> & { code: Code } & Members<Code>
// Flattens the type, so that an editor lists the members. Members that belong only to other codes have the type
// `undefined`.
type Flat<T> = { [Member in keyof T]: T[Member] } & { [Member in Exclude<Special, keyof T>]?: never }

/** A problem with this code and the members specific to the code. */
export type ProblemOf<Code extends ProblemCode> = Flat<Whole<Code>>

/**
 * An error, distinguished by `code`: a `conflict` has its `reason`, and an `invalid_transition` lists the `allowed`
 * statuses. A later version of the service may add codes; handle an unknown code by its `status`.
 */
export type Problem = { [Code in ProblemCode]: ProblemOf<Code> }[ProblemCode]

/**
 * The client's only error class. Usually, the error is a problem of the contract, distinguished by `code`. If another
 * system responded instead of the service, such as a gateway with its own page, the code is `unexpected_answer`.
 */
export class PlumblineError extends Error {
  override readonly name = 'PlumblineError'
  readonly code: ProblemCode | 'unexpected_answer'
  readonly status: number
  /** The request ID to mention when asking for help; null if the response had no request ID. */
  readonly requestId: string | null
  /** Every error in the input; empty if the input did not cause the problem. */
  readonly errors: readonly FieldError[]
  /** The complete problem, including the members of its code; null if the response was not a problem. */
  readonly problem: Problem | null
  /** The number of seconds after which to try again; null if the response does not specify a time. */
  readonly retryAfter: number | null
  /** The headers of the response. */
  readonly headers: Headers

  constructor(response: Response, body: unknown) {
    const problem = isProblem(body) ? body : null
    super(
      problem === null
        ? `The server responded with HTTP status ${response.status} and no problem details.`
        : toMessage(problem),
    )
    this.code = problem?.code ?? 'unexpected_answer'
    this.status = response.status
    this.requestId = problem?.requestId ?? response.headers.get('X-Request-Id')
    this.errors = problem?.errors ?? []
    this.problem = problem
    this.retryAfter = readRetryAfterSeconds(response.headers) ?? null
    this.headers = response.headers
  }

  /**
   * Returns whether the error is a problem with this code. TypeScript then knows the types of its members.
   *
   *     if (error.is('conflict') && error.problem.reason === 'vendor_on_hold') …
   */
  is<Code extends ProblemCode>(code: Code): this is PlumblineError & { code: Code; problem: ProblemOf<Code> } {
    return this.code === code
  }
}

const MAX_ERRORS_SHOWN = 5

/** Returns the detail and the errors of the fields. */
function toMessage({ code, detail, errors = [] }: Problem): string {
  const told = errors
    .slice(0, MAX_ERRORS_SHOWN)
    .map(({ pointer, message }) => `${pointer || 'the request body'} ${message}`)
  const more = errors.length > MAX_ERRORS_SHOWN ? `; and ${errors.length - MAX_ERRORS_SHOWN} more` : ''
  return `${code}: ${detail}${told.length > 0 ? ` (${told.join('; ')}${more})` : ''}`
}

export function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'requestId' in body
}

/** Returns the number of seconds in `Retry-After`, given as a number or a date. */
export function readRetryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('Retry-After') ?? ''
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0)
}

/** The result of a call: the data, or the service's problem. */
export type Answer<Data> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Problem; response: Response }

/** The ETag of each record that was read. The map is weak, so that an entry is removed together with its record. */
const etags = new WeakMap<object, string>()

/**
 * Returns the data of a successful call, and stores the record's ETag for `etagOf`. Throws PlumblineError for a
 * rejected call.
 */
export async function orThrow<Data>(call: PromiseLike<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new PlumblineError(response, error)
  const etag = response.headers.get('ETag')
  if (etag !== null && typeof data === 'object' && data !== null) etags.set(data, etag)
  return data as Data
}

/**
 * Returns the ETag with which a record was read, for `If-Match`. With this header, the service rejects the change if
 * another user has changed the record since. Returns undefined for an object that did not come from `orThrow`, such as
 * a copy.
 *
 *     const vendor = await orThrow(client.GET('/api/ext/vendors/{vendorId}', { params: { path } }))
 *     const header = { 'If-Match': etagOf(vendor) }
 */
export function etagOf(data: object): string | undefined {
  return etags.get(data)
}
