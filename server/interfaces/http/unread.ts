import type { IncomingMessage } from 'node:http'
import { type Problem, problem } from '../../platform/problems/problem.ts'

/** Problems that keep a request from being read at all. It has no operation yet, and may not even have an address. */

/** The problem for bytes that Node's parser refused. */
export function unreadable(error: { code?: unknown; reason?: unknown }): Problem {
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

/** What is wrong with a request that Node could read; null if nothing is, which is nearly always. */
export function misfit({ headers, httpVersion }: IncomingMessage): Problem | null {
  if (headers.host === undefined && httpVersion === '1.1')
    return problem('malformed_request', 'HTTP/1.1 requests require a Host header.')
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return problem('expectation_failed', 'The Expect header only supports 100-continue.')
  return null
}

/** What is wrong with a query that is no percent-encoded UTF-8. Nobody can tell what it says; null for all others. */
export function illegible(url: string): Problem | null {
  if (!url.includes('%')) return null
  const start = url.indexOf('?')
  if (start === -1) return null
  try {
    // A percent sign that begins no escape stands for itself.
    decodeURIComponent(url.slice(start + 1).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
    return null
  } catch {
    return problem('malformed_request', 'The query string is not valid percent-encoded UTF-8.')
  }
}

/** The target of a request without the scheme and host that a proxy may send along with the path. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)
  if (origin === null) return target
  const rest = target.slice(origin[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
