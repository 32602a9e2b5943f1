import type { Release } from '../../client/contract.gen.ts'
import type { ContractDocument, OperationObject } from './contract.ts'

/**
 * What every answer of a deprecated operation says beside its content: since when it is (Deprecation, RFC 9745), from
 * when on it will be gone (Sunset, RFC 8594), and where that is written down. The first day is the one of the release
 * that announced it in `x-changelog`, the last one is the operation's `x-sunset`.
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
  // What nobody announced is deprecated since the present version at the latest.
  const since = (announced ?? releases[0])?.date
  return {
    ...(since !== undefined && { Deprecation: `@${Date.parse(since) / 1000}` }),
    ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    Link: '</docs/changelog>; rel="deprecation"; type="text/html"',
  }
}

/** The headers of an answer with those of a notice; both may point somewhere. */
export function noticed(
  headers: Record<string, string | number>,
  notice: Readonly<Record<string, string>>,
): Record<string, string | number> {
  const links = [headers.Link, notice.Link].filter((link) => link !== undefined)
  return { ...headers, ...notice, Link: links.join(', ') }
}
