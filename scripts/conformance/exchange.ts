import { shortenBody } from './describe-response-errors.ts'
import type { ServiceResponse } from './service.ts'

/** A request and its response, for reports. */
export interface Exchange {
  /** The operationId; null for a path or method that is not in the contract. */
  operation: string | null
  method: string
  target: string
  body: unknown
  response: ServiceResponse
}

/** Describes a failed check in a way that allows readers to repeat it. Never includes the API key. */
export function describeExchange(exchange: Exchange | undefined, expected: string, actual?: string): string {
  if (exchange === undefined) return `Expected:  ${expected}${actual === undefined ? '' : `\nActual:    ${actual}`}`
  const { operation, method, target, body, response } = exchange
  const lines = [
    `Operation: ${operation ?? 'none'}`,
    `Request:   ${method} ${target}${body === undefined ? '' : ` ${typeof body === 'string' ? body : shortenBody(body)}`}`,
    `Expected:  ${expected}`,
    `Response:  ${response.status} ${shortenBody(response.body)}`,
    ...(actual === undefined ? [] : [`Actual:    ${actual}`]),
  ]
  return `\n${lines.join('\n')}`
}
