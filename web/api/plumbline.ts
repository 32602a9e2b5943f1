import createOpenApiClient from 'openapi-fetch'
import createQueries from 'openapi-react-query'
import type { paths } from '../../client/contract.gen.ts'
import { createRetryingSend } from '../../client/retry.ts'
import { createRepeatAfterSignIn } from './repeat-after-sign-in.ts'

/** The path of the service on its host, which the server inserts into the document. It is usually empty. */
export const root = document.documentElement.dataset.root ?? ''

/**
 * The typed client. It does not need a key, because the browser sends the session's cookie. All pages read and write
 * data only through this client, so a page cannot exceed the user's permissions in the contract.
 */
export const client = createOpenApiClient<paths>({
  baseUrl: root,
  // The contract specifies that lists in a query are written as `?ids=a,b`.
  querySerializer: { array: { style: 'form', explode: false } },
  // The client retries less often than a program would, because a user is waiting.
  fetch: createRepeatAfterSignIn(
    createRetryingSend((...request) => fetch(...request), { retries: 2, longestWaitSeconds: 5 }),
  ),
})

export const plumbline = createQueries(client)
