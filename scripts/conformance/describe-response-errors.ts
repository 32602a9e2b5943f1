import type { Operation, ResponseObject } from '../../server/platform/calls/contract.ts'
import type { ServiceResponse } from './service.ts'
import { contract, describeSchemaErrors, getValueAtPath } from './walked-contract.ts'

/**
 * Describes the differences between a response and the contract for its operation; empty if there are none. Checks the
 * status, the required headers, and the type and schema of the body.
 */
export function describeResponseErrors(operation: Operation, answer: ServiceResponse): string {
  const { status, body, headers } = answer
  const declared = operation.declaration.responses[String(status)]
  if (declared === undefined) return `${operation.id} does not declare ${status}: ${shortenBody(body)}`
  if (headers.get('x-request-id') === null) return `${operation.id} returns ${status} without X-Request-Id`
  const response = contract.resolve<ResponseObject>(declared)
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const { required } = contract.resolve(header as { required?: boolean })
    if (required === true && headers.get(name) === null) return `${operation.id} returns ${status} without ${name}`
  }

  const place = [...toOperationKeyPath(operation), 'responses', String(status), 'content']
  const [type] = Object.keys((getValueAtPath(...place) as object | undefined) ?? {})
  if (type === undefined)
    return body === '' ? '' : `${operation.id} returns ${status} with a body: ${shortenBody(body)}`
  const said = headers.get('content-type')?.split(';', 1)[0]
  if (said !== type) return `${operation.id} returns ${status} as ${said}, not as ${type}`
  const wrong = /[/+]json$/.test(type) ? describeSchemaErrors(body, ...place, type, 'schema') : ''
  return wrong === ''
    ? ''
    : `${operation.id} returns ${status} with a body that does not match its schema:\n${wrong}\n${shortenBody(body)}`
}

/** Returns the keys that lead to an operation in the document. */
export function toOperationKeyPath({ path, method }: Operation): string[] {
  return ['paths', path, method.toLowerCase()]
}

/** Shortens a body for a report. */
export function shortenBody(body: unknown): string {
  const text = JSON.stringify(body) ?? 'nothing'
  return text.length > 600 ? `${text.slice(0, 600)} …` : text
}
