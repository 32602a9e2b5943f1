import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '../problems/problem.ts'

/**
 * Throws `cross_site` if the request was not sent by a page of this service. A browser adds its cookies to requests
 * from any page, but also states the origin of that page, which no page can change. Some browsers do not send
 * `Sec-Fetch-Site`, or send it only over HTTPS. These browsers send `Origin` with every request that is not a GET
 * request.
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
