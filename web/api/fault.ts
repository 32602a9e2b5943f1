import type { FieldError, Problem } from '../../client/contract.gen.ts'
import { isProblem } from '../../client/problem.ts'

/** Why something did not work, in words: what is wrong, what still holds and what to do. */
export interface Fault {
  title: string
  detail: string
  /** What is wrong with single fields, if that is the reason. */
  errors: readonly FieldError[]
  /** The problem of the contract; null if the answer was none, or if there was no answer. */
  problem: Problem | null
}

/**
 * Whatever a query or a mutation failed with. By its type that is always a problem of the contract, but a connection may
 * fail, and something else may answer in the service's place.
 */
export function faultOf(error: unknown): Fault {
  if (isProblem(error)) {
    return { title: error.title, detail: error.detail ?? '', errors: error.errors ?? [], problem: error }
  }
  return {
    title: 'The server did not respond.',
    detail: 'Check your connection, then try again. Your change may not have been saved.',
    errors: [],
    problem: null,
  }
}
