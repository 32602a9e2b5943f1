import type { Release } from '../../../client/contract.gen.ts'
import type { ContractDocument, OperationObject } from './contract.ts'

/**
 * The headers that every answer of a deprecated operation has: since when it is deprecated (Deprecation, RFC 9745),
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
  // Without an announcement it is deprecated since the current version at the latest.
  const since = (announced ?? releases[0])?.date
  return {
    ...(since !== undefined && { Deprecation: `@${Date.parse(since) / 1000}` }),
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    Link: '</docs/changelog>; rel="deprecation"; type="text/html"',
  }
}

/** The headers of an answer combined with those of a notice; both may have a Link. */
export function noticed(
  headers: Record<string, string | number>,
  notice: Readonly<Record<string, string>>,
): Record<string, string | number> {
  const links = [headers.Link, notice.Link].filter((link) => link !== undefined)
  return { ...headers, ...notice, Link: links.join(', ') }
}
