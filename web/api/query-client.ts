import { MutationCache, QueryClient } from '@tanstack/react-query'
import { isConnectionError, toErrorMessage } from './error-message.ts'
import { savedChange } from './saved-change.ts'

/** The pause after which a query that got no response is sent again. */
const RETRY_MS = 10_000

/**
 * The cache of responses. After every change, all data on the page is read again, so that no page needs to know which
 * lists and sums a change affects.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Otherwise, a request of an offline browser would wait without a message.
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchInterval: ({ state: { error } }) => (isConnectionError(error) ? RETRY_MS : false),
      // The client itself retries requests, and knows which requests may be repeated.
      retry: false,
      staleTime: 5000,
      // If the user goes back to a previous filter, its rows are shown immediately. Responses that are an hour old are
      // useless.
      gcTime: 300_000,
    },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    onSuccess: (_data, _variables, _context, mutation) => {
      if (mutation.meta?.changesNothing === true) return
      savedChange.announce()
      // While a dialog closes, its dry run must not run again: the action is done, and the dry run would be rejected.
      return queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'post' })
    },
    // Another user was faster. The current record must be read before it can be shown and overwritten.
    onError: (error) => {
      if (toErrorMessage(error).problem?.code === 'precondition_failed')
        void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' })
    },
  }),
})
