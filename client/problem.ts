import type { FieldError, Problem, ProblemCode } from './contract.gen.ts'

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
  /**
   * The whole problem, including the members specific to its code (`permission`, `allowed`, `nearest`); null if there
   * was none.
   */
  readonly problem: Problem | null

  constructor(response: Response, body: unknown) {
    const problem = isProblem(body) ? body : null
    super(problem === null ? `HTTP ${response.status} without a problem` : `${problem.code}: ${problem.detail}`)
    this.code = problem?.code ?? 'unexpected_answer'
    this.status = response.status
    this.requestId = problem?.requestId ?? response.headers.get('X-Request-Id')
    this.errors = problem?.errors ?? []
    this.problem = problem
  }
}

export function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'requestId' in body
}

/** What a call resolves to: the data, or the problem that the service answered with. */
export type Answer<Data> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Problem; response: Response }

/** The data of a successful call; throws PlumblineError for a refused one. */
export async function orThrow<Data>(call: PromiseLike<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new PlumblineError(response, error)
  return data as Data
}
