import { MutationCache, QueryClient } from '@tanstack/react-query'
import { toErrorMessage } from './error-message.ts'

/**
 * The cache of responses. After every change, everything on the page is read again, so that no page needs to know which
 * lists and sums a change affects.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The client retries by itself and knows which requests may be repeated.
      retry: false,
      staleTime: 5000,
      // Going back to a previous filter shows its rows at once. Responses that are an hour old are useless.
      gcTime: 300_000,
    },
  },
  mutationCache: new MutationCache({
    onSuccess: (_data, _variables, _context, mutation) => {
      if (mutation.meta?.changesNothing === true) return
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
