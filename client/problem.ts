import type { FieldError, Problem, ProblemCode } from './contract.gen.ts'

/**
 * The one error of this client. Mostly it is a problem of the contract, distinguished by `code`. What answers in the service's
 * place now and then (a gateway with a page of its own) says nothing that the contract knows, and is `unexpected_answer`.
 */
export class PlumblineError extends Error {
  override readonly name = 'PlumblineError'
  readonly code: ProblemCode | 'unexpected_answer'
  readonly status: number
  /** What to name when asking for help; null where none was given. */
  readonly requestId: string | null
  /** Every fault of the input; empty unless the input was at fault. */
  readonly errors: readonly FieldError[]
  /** The problem whole, with what belongs to its code alone (`permission`, `allowed`, `nearest`); null if there was none. */
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

/** What a call of the client answers: the data, or the problem that stood against it. */
export type Answer<Data> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Problem; response: Response }

/** The data of a call that succeeded; throws PlumblineError for one that was refused. */
export async function orThrow<Data>(call: PromiseLike<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new PlumblineError(response, error)
  return data as Data
}
