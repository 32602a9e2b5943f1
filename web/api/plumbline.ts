import createOpenApiClient from 'openapi-fetch'
import createQueries from 'openapi-react-query'
import type { paths } from '../../client/contract.gen.ts'
import { createRetryingSend } from '../../client/retry.ts'
import { createRepeatAfterSignIn } from './repeat-after-sign-in.ts'

/** The path prefix of the service, which the server wrote into the document; usually empty. */
export const root = document.documentElement.dataset.root ?? ''

/**
 * The typed client, without a key: the browser sends the session's cookie itself. All reads and writes of a page use
 * this client, so no page exceeds what the contract allows this user.
 */
export const client = createOpenApiClient<paths>({
  baseUrl: root,
  // The contract writes a list in a query as `?ids=a,b`.
  querySerializer: { array: { style: 'form', explode: false } },
  // A user is waiting, so the client retries less often than a program would.
  fetch: createRepeatAfterSignIn(
    createRetryingSend((...request) => fetch(...request), { retries: 2, longestWaitSeconds: 5 }),
  ),
})

export const plumbline = createQueries(client)
