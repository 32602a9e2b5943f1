import type { IncomingHttpHeaders } from 'node:http'
import { problem } from '../problems/problem.ts'

/**
 * Throws `cross_site` unless a page of this service sent the request. A browser adds its cookies to the requests of any
 * page, but says which page that was, and no page can change that. Browsers that do not send `Sec-Fetch-Site`, or send
 * it only over HTTPS, send `Origin` with everything that is not a GET.
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
