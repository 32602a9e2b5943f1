import type { Release } from '../../../client/contract.gen.ts'
import type { ContractDocument, OperationObject } from './contract.ts'

/**
 * Returns the headers for every response of a deprecated operation. They contain the deprecation date (Deprecation, RFC
 * 9745), the removal date (Sunset, RFC 8594), and a link to the documentation. The deprecation date is the date of the
 * release that announced the deprecation in `x-changelog`. The removal date is the operation's `x-sunset`.
 */
export function buildDeprecationHeaders(
  document: ContractDocument,
  { operationId, deprecated, 'x-sunset': sunset }: OperationObject,
): Readonly<Record<string, string>> | null {
  if (deprecated !== true) return null
  const releases = (document['x-changelog'] ?? []) as Release[]
  const announced = releases.find(({ changes }) =>
    changes.some(({ kind, operations }) => kind === 'deprecated' && operations.includes(operationId)),
  )
  // If there is no announcement, the date of the current version is used.
  const since = (announced ?? releases[0])?.date
  return {
    ...(since !== undefined && { Deprecation: `@${Date.parse(since) / 1000}` }),
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    Link: '</docs/changelog>; rel="deprecation"; type="text/html"',
  }
}

/**
 * Combines the headers of a response with the headers of a deprecation notice. Both sets of headers may contain a Link
 * header.
 */
export function mergeNoticeHeaders(
  headers: Record<string, string | number>,
  notice: Readonly<Record<string, string>>,
): Record<string, string | number> {
  const links = [headers.Link, notice.Link].filter((link) => link !== undefined)
  return { ...headers, ...notice, Link: links.join(', ') }
}
