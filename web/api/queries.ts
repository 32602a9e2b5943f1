import { MutationCache, QueryClient } from '@tanstack/react-query'
import { faultOf } from './fault.ts'

/**
 * What the pages keep of answers. After every change everything that is on the page is read again, so that no screen has
 * to know which lists and sums a change touches.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The client retries by itself, and knows what may be repeated.
      retry: false,
      staleTime: 5000,
      // Filters that were just left are there at once when one goes back; an hour old they are of no use.
      gcTime: 300_000,
    },
  },
  mutationCache: new MutationCache({
    onSuccess: (_data, _variables, _context, mutation) => {
      if (mutation.meta?.changesNothing === true) return
      // What a dialog still tries while it closes has just been done, and would only be refused now.
      return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'post' })
    },
    // Somebody else was faster: what it is now has to be read before it can be shown, and saved over.
    onError: (error) => {
      if (faultOf(error).problem?.code === 'precondition_failed')
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' })
    },
  }),
})
