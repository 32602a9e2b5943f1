import { MutationCache, QueryClient } from '@tanstack/react-query'
import { isConnectionError, toErrorMessage } from './error-message.ts'
import { savedChange } from './saved-change.ts'

/** The pause before a query that got no response is sent again. */
const RETRY_MS = 10_000

/**
 * The cache of responses. After every change, all data on the page is loaded again, so that pages do not need to know
 * which lists and totals a change affects.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // Sends requests even if the browser is offline. Otherwise, they would wait without any message.
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchInterval: ({ state: { error } }) => (isConnectionError(error) ? RETRY_MS : false),
      // The client retries requests itself, because it knows which requests can safely be repeated.
      retry: false,
      staleTime: 5000,
      // The time for which unused responses are kept. If the user returns to a previous filter, its rows appear
      // immediately. Much older responses are useless.
      gcTime: 300_000,
    },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    onSuccess: (_data, _variables, _context, mutation) => {
      if (mutation.meta?.changesNothing === true) return
      savedChange.announce()
      // Does not repeat dry runs. While a dialog closes, its action has already been performed, so the dry run would be
      // rejected.
      return queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'post' })
    },
    // If another user was faster, the current record must be loaded before the page can show or overwrite it.
    onError: (error) => {
      if (toErrorMessage(error).problem?.code === 'precondition_failed')
        void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' })
    },
  }),
})
