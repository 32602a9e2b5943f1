import createOpenApiClient, { type Client } from 'openapi-fetch'
import type { paths, Problem } from './contract.gen.ts'

export type * from './contract.gen.ts'

/** A client whose paths, parameters, bodies and answers have the types of the contract. */
export type PlumblineClient = Client<paths>

/**
 * Makes a client of a Plumbline service. Calls answer `{ data, error, response }` as openapi-fetch has it; `error` is a
 * problem of the contract.
 *
 * @param options.baseUrl where the service is, without /api/ext
 * @param options.key an API key, `plb_…`
 */
export function createClient(options: { baseUrl: string; key: string; fetch?: typeof fetch }): PlumblineClient {
  return createOpenApiClient<paths>({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    headers: { Authorization: `Bearer ${options.key}` },
    // `?ids=a,b` is how the contract writes a list in a query.
    querySerializer: { array: { style: 'form', explode: false } },
    ...(options.fetch && { fetch: options.fetch }),
  })
}

/** What a call threw when it was asked to answer or throw. */
export class PlumblineError extends Error {
  readonly problem: Problem
  readonly status: number

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.detail}`)
    this.problem = problem
    this.status = problem.status
  }
}

/** The data of a call that succeeded; throws PlumblineError for one that was refused. */
export async function orThrow<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const { data, error } = await call
  if (error !== undefined) throw new PlumblineError(error as Problem)
  return data as T
}
