import type { FieldError, Problem } from '../../client/contract.gen.ts'
import { isProblem } from '../../client/problem.ts'

/** An error message in words: the cause, the data that is not affected, and the remedy. */
export interface ErrorMessage {
  title: string
  detail: string
  /** The invalid fields, if they caused the error. */
  errors: readonly FieldError[]
  /** The problem from the contract; null if the response was not a problem, or if there was no response. */
  problem: Problem | null
}

/**
 * Describes the error of a query or a mutation. Its type is a problem from the contract, but in fact the connection may
 * have failed, or another system may have responded instead of the service.
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

/** Returns whether there was no response, or another system responded instead of the service. */
export function isConnectionError(error: unknown): boolean {
  return error !== null && error !== undefined && !isProblem(error)
}
