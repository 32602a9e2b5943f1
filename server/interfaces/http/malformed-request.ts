import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../../platform/problems/problem.ts'

/**
 * Problems with requests that cannot be read. For such a request, the operation is not known, and the URL may be
 * missing.
 */

/** Returns the problem for bytes that Node's parser rejected. */
export function toParserProblem(error: { code?: unknown; reason?: unknown }): Problem {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem('headers_too_large', 'The request line and the headers exceed 16 KiB.')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return problem('payload_too_large', 'The chunk extensions exceed 16 KiB.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('request_timeout', 'The headers or the body took too long to arrive.')
    default:
      return problem(
        'malformed_request',
        typeof error.reason === 'string'
          ? `The request is not valid HTTP: ${error.reason}.`
          : 'The request is not valid HTTP.',
      )
  }
}

/** Returns the problem with a request that Node could parse; null for nearly all requests. */
export function findRequestProblem({ headers, httpVersion }: IncomingMessage): Problem | null {
  if (headers.host === undefined && httpVersion === '1.1')
    return problem('malformed_request', 'HTTP/1.1 requests require a Host header.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return problem('expectation_failed', 'The Expect header only supports 100-continue.')
  return null
}

/**
 * Returns a problem if a query cannot be read because it is not percent-encoded UTF-8; otherwise null.
 */
export function findQueryProblem(url: string): Problem | null {
  if (!url.includes('%')) return null
  const start = url.indexOf('?')
  if (start === -1) return null
  try {
    // Keeps a percent sign that does not start an escape sequence.
    decodeURIComponent(url.slice(start + 1).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
    return null
  } catch {
    return problem('malformed_request', 'The query string is not valid percent-encoded UTF-8.')
  }
}

/** Returns the target of a request, without the scheme and host that a proxy may have put before the path. */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)
  if (origin === null) return target
  const rest = target.slice(origin[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
