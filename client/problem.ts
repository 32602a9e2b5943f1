import type { Problem as AnyProblem, FieldError, ProblemCode } from './contract.gen.ts'
import type { ProblemMembers } from './problems.gen.ts'

type Common = 'type' | 'title' | 'status' | 'detail' | 'instance' | 'requestId' | 'errors'

type Special = Exclude<keyof AnyProblem, Common | 'code'>
type Members<Code extends ProblemCode> = Code extends keyof ProblemMembers ? ProblemMembers[Code] : unknown
type Whole<Code extends ProblemCode> = Pick<AnyProblem, Common> & { code: Code } & Members<Code>
// Spelled out, so that an editor shows the members; those of other codes can be asked for and are not there.
type Flat<T> = { [Member in keyof T]: T[Member] } & { [Member in Exclude<Special, keyof T>]?: never }

/** A problem with this code, and with the members that such a problem has. */
export type ProblemOf<Code extends ProblemCode> = Flat<Whole<Code>>

/**
 * What went wrong, told apart by `code`: a `conflict` has its `reason`, an `invalid_transition` what is `allowed`. A later
 * version of the service may add codes; treat one that you do not know by its `status`.
 */
export type Problem = { [Code in ProblemCode]: ProblemOf<Code> }[ProblemCode]

/**
 * The client's only error class. Usually it is a problem of the contract, told apart by `code`. Sometimes something
 * else answers in the service's place, such as a gateway with its own page; the code is then `unexpected_answer`.
 */
export class PlumblineError extends Error {
  override readonly name = 'PlumblineError'
  readonly code: ProblemCode | 'unexpected_answer'
  readonly status: number
  /** The id to quote when asking for help; null if there was none. */
  readonly requestId: string | null
  /** Every fault of the input; empty if the input was not the reason. */
  readonly errors: readonly FieldError[]
  /** The whole problem, with the members specific to its code; null if there was none. */
  readonly problem: Problem | null
  /** The seconds after which to try again, as the service says; null if it does not. */
  readonly retryAfter: number | null
  /** The answer's headers. */
  readonly headers: Headers

  constructor(response: Response, body: unknown) {
    const problem = isProblem(body) ? body : null
    super(
      problem === null
        ? `The server responded with HTTP status ${response.status} and no problem details.`
        : messageOf(problem),
    )
    this.code = problem?.code ?? 'unexpected_answer'
    this.status = response.status
    this.requestId = problem?.requestId ?? response.headers.get('X-Request-Id')
    this.errors = problem?.errors ?? []
    this.problem = problem
    this.retryAfter = retryAfterSeconds(response.headers) ?? null
    this.headers = response.headers
  }

  /**
   * Whether it is a problem with this code, whose members are then known.
   *
   *     if (error.is('conflict') && error.problem.reason === 'vendor_on_hold') …
   */
  is<Code extends ProblemCode>(code: Code): this is PlumblineError & { code: Code; problem: ProblemOf<Code> } {
    return this.code === code
  }
}

const MOST_TOLD = 5

/** What went wrong, and in which fields. */
function messageOf({ code, detail, errors = [] }: Problem): string {
  const told = errors.slice(0, MOST_TOLD).map(({ pointer, message }) => `${pointer || 'the request body'} ${message}`)
  const more = errors.length > MOST_TOLD ? `; and ${errors.length - MOST_TOLD} more` : ''
  return `${code}: ${detail}${told.length > 0 ? ` (${told.join('; ')}${more})` : ''}`
}

export function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'requestId' in body
}

/** The seconds that `Retry-After` asks for, as a number or as a date. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('Retry-After') ?? ''
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(seconds, 0)
}

/** What a call resolves to: the data, or the problem that the service answered with. */
export type Answer<Data> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Problem; response: Response }

/** Which state of a record was read; of an object that is gone nothing is kept. */
const etags = new WeakMap<object, string>()

/**
 * The data of a successful call; throws PlumblineError for a refused one. The ETag of a record is kept beside it, for
 * `etagOf`.
 */
export async function orThrow<Data>(call: PromiseLike<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new PlumblineError(response, error)
  const etag = response.headers.get('ETag')
  if (etag !== null && typeof data === 'object' && data !== null) etags.set(data, etag)
  return data as Data
}

/**
 * The ETag that a record came with, for `If-Match`: the change is then refused if somebody else was faster. Undefined
 * for an object that did not come from `orThrow`, a copy included.
 *
 *     const vendor = await orThrow(client.GET('/api/ext/vendors/{vendorId}', { params: { path } }))
 *     const header = { 'If-Match': etagOf(vendor) }
 */
export function etagOf(data: object): string | undefined {
  return etags.get(data)
}
