import createOpenApiClient from 'openapi-fetch'
import createQueries from 'openapi-react-query'
import type { paths } from '../../client/contract.gen.ts'
import { retrying } from '../../client/retry.ts'
import { withFreshSignIn } from './fresh-sign-in.ts'
import { sessionEnd } from './session-end.ts'

/** The path prefix of the service, which the server wrote into the document; usually empty. */
export const root = document.documentElement.dataset.root ?? ''

/**
 * The typed client, without a key: the browser sends the session's cookie itself. Everything that a page reads or does
 * uses it, so nothing on a page exceeds what the contract allows this user.
 */
export const client = createOpenApiClient<paths>({
  baseUrl: root,
  // The contract writes a list in a query as `?ids=a,b`.
  querySerializer: { array: { style: 'form', explode: false } },
  // A user is waiting, so it retries less often than a program would.
  fetch: withFreshSignIn(retrying((...request) => fetch(...request), { retries: 2, longestWaitSeconds: 5 })),
})

client.use({
  onResponse({ response }) {
    if (response.status === 401) sessionEnd.announce()
  },
})

export const plumbline = createQueries(client)
