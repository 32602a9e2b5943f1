import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '../problems/problem.ts'

/**
 * Throws `cross_site` unless the request comes from a page of this service. Browsers add cookies to requests from all
 * pages, but also send the origin of the page, which the page cannot change. Some browsers never send `Sec-Fetch-Site`,
 * or send it only over HTTPS. They send `Origin` with all requests except GET requests.
 */
export function assertSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): void {
  const site = headers['sec-fetch-site']
  const isOurs = site === undefined ? headers.origin === new URL(publicUrl).origin : site === 'same-origin'
  if (!isOurs)
    throw problem(
      'cross_site',
      'A signed-in user can make changes only from pages of this service. In other places, use an API key.',
    )
}
