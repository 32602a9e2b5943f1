import type { Release } from '../../../client/contract.gen.ts'
import type { ContractDocument, OperationObject } from './contract.ts'

/**
 * Returns the headers of every response of a deprecated operation: since when it is deprecated (Deprecation, RFC 9745),
 * when it will be removed (Sunset, RFC 8594), and where to read about it. The first date is that of the release that
 * announced it in `x-changelog`, the second is the operation's `x-sunset`.
 */
export function deprecationHeaders(
  document: ContractDocument,
  { operationId, deprecated, 'x-sunset': sunset }: OperationObject,
): Readonly<Record<string, string>> | null {
  if (deprecated !== true) return null
  const releases = (document['x-changelog'] ?? []) as Release[]
  const announced = releases.find(({ changes }) =>
    changes.some(({ kind, operations }) => kind === 'deprecated' && operations.includes(operationId)),
  )
  // Without an announcement, the date of the current version is used.
  const since = (announced ?? releases[0])?.date
  return {
    ...(since !== undefined && { Deprecation: `@${Date.parse(since) / 1000}` }),
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    Link: '</docs/changelog>; rel="deprecation"; type="text/html"',
  }
}

/** Combines the headers of a response with those of a notice. Both may have a Link. */
export function mergeNoticeHeaders(
  headers: Record<string, string | number>,
  notice: Readonly<Record<string, string>>,
): Record<string, string | number> {
  const links = [headers.Link, notice.Link].filter((link) => link !== undefined)
  return { ...headers, ...notice, Link: links.join(', ') }
}
