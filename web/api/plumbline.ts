import createOpenApiClient from 'openapi-fetch'
import createQueries from 'openapi-react-query'
import type { paths } from '../../client/contract.gen.ts'
import { retrying } from '../../client/retry.ts'
import { askingForFreshSignIn } from './fresh-sign-in.ts'
import { sessionEnded } from './session-end.ts'

/** The path that the service is below, as the server wrote it into the document; usually there is none. */
export const root = document.documentElement.dataset.root ?? ''

/**
 * The typed client, without a key: the browser sends the session's cookie by itself. Whatever a page shows or does goes
 * through here, so nothing on it is beyond what the contract lets this user do.
 */
export const client = createOpenApiClient<paths>({
  baseUrl: root,
  // `?ids=a,b` is how the contract writes a list in a query.
  querySerializer: { array: { style: 'form', explode: false } },
  // Somebody waits in front of it, so it tries less often than a program would.
  fetch: askingForFreshSignIn(retrying((...request) => fetch(...request), { retries: 2, longestWaitSeconds: 5 })),
})

client.use({
  onResponse({ response }) {
    if (response.status === 401) sessionEnded.announce()
  },
})

export const plumbline = createQueries(client)
