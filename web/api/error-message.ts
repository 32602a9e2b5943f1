import type { FieldError, Problem } from '../../client/contract.gen.ts'
import { isProblem } from '../../client/problem.ts'

/** Error message in words: the cause, the unaffected data, and the remedy. */
export interface ErrorMessage {
  title: string
  detail: string
  /** The invalid fields, if they are the cause. */
  errors: readonly FieldError[]
  /** The problem of the contract; null if the response was not a problem, or if there was no response. */
  problem: Problem | null
}

/**
 * Describes the error of a query or a mutation. The type of the error is always a problem of the contract, but a
 * connection may fail, or something else may respond instead of the service.
 */
export function toErrorMessage(error: unknown): ErrorMessage {
  if (isProblem(error)) {
    return { title: error.title, detail: error.detail ?? '', errors: error.errors ?? [], problem: error }
  }
  if (!navigator.onLine) {
    return {
      title: 'You are offline.',
      detail: 'Plumbline tries again as soon as the connection returns.',
      errors: [],
      problem: null,
    }
  }
  return {
    title: 'The server did not respond.',
    detail: 'Check your connection, then try again. Your change may not have been saved.',
    errors: [],
    problem: null,
  }
}

/** Returns whether there was no response, or something else responded instead of the service. */
export function isConnectionError(error: unknown): boolean {
  return error !== null && error !== undefined && !isProblem(error)
}
