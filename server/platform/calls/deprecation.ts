import type { Release } from '../../../client/contract.gen.ts'
import type { ContractDocument, OperationObject } from './contract.ts'

/**
 * Returns the headers for all responses of a deprecated operation. These headers contain the date of the deprecation
 * (Deprecation, RFC 9745), the date of the removal (Sunset, RFC 8594), and a link to the documentation. The date of the
 * deprecation is that of the release that announced it in `x-changelog`. The date of the removal is the `x-sunset` of
 * the operation.
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
  // If no release has announced the deprecation, use the date of the current version.
  const since = (announced ?? releases[0])?.date
  return {
    ...(since !== undefined && { Deprecation: `@${Date.parse(since) / 1000}` }),
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    Link: '</docs/changelog>; rel="deprecation"; type="text/html"',
  }
}

/** Combines the headers of a response with those of a deprecation notice. Both can contain a Link header. */
export function mergeNoticeHeaders(
  headers: Record<string, string | number>,
  notice: Readonly<Record<string, string>>,
): Record<string, string | number> {
  const links = [headers.Link, notice.Link].filter((link) => link !== undefined)
  return { ...headers, ...notice, Link: links.join(', ') }
}
