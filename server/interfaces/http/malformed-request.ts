import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../../platform/problems/problem.ts'

/** Problems that keep a request from being read at all. It has no operation yet, and may not even have a URL. */

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

/** Returns what is wrong with a request that Node could read; null, as nearly always, if nothing is. */
export function findRequestProblem({ headers, httpVersion }: IncomingMessage): Problem | null {
  if (headers.host === undefined && httpVersion === '1.1')
    return problem('malformed_request', 'HTTP/1.1 requests require a Host header.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return problem('expectation_failed', 'The Expect header only supports 100-continue.')
  return null
}

/**
 * Returns the problem of a query that is not percent-encoded UTF-8 and therefore cannot be read; null for all others.
 */
export function findQueryProblem(url: string): Problem | null {
  if (!url.includes('%')) return null
  const start = url.indexOf('?')
  if (start === -1) return null
  try {
    // A percent sign that starts no escape stands for itself.
    decodeURIComponent(url.slice(start + 1).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
    return null
  } catch {
    return problem('malformed_request', 'The query string is not valid percent-encoded UTF-8.')
  }
}

/** Returns the target of a request without the scheme and host that a proxy may send along with the path. */
export function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)
  if (origin === null) return target
  const rest = target.slice(origin[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
