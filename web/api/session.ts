import { useSuspenseQuery } from '@tanstack/react-query'
import type { HeldPermission, Session } from '../../client/contract.gen.ts'
import { plumbline } from './plumbline.ts'
import { queryClient } from './query-client.ts'

/** Marks requests of the frame around the page. The footer of the page does not list them. */
export const FRAME_QUERY = { ofTheFrame: true }

// Requests the session again if the page stays open, because a user's role may change.
const sessionQuery = plumbline.queryOptions('get', '/api/admin/session', {}, { staleTime: 300_000, meta: FRAME_QUERY })

/**
 * Returns the signed-in user, the organization, and the permissions. The session is always loaded before a page is
 * shown.
 */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** Returns the session if it is already loaded; otherwise, undefined. There is no session on the sign-in page. */
export function findSession(): Session | undefined {
  return queryClient.getQueryData(sessionQuery.queryKey)
}

/** Requests the session while the code of the first page loads, because nothing can be shown without the session. */
export function prefetchSession(): void {
  // Ignores errors here. The shell (shell.tsx) requests the session again and redirects to the sign-in page.
  queryClient
    .fetchQuery(sessionQuery)
    .catch(() => queryClient.removeQueries({ queryKey: sessionQuery.queryKey, exact: true }))
}

/**
 * Returns a function that returns whether the user has a permission. Pages hide actions that the user may not perform.
 */
export function useCan(): (permission: HeldPermission) => boolean {
  const { permissions } = useSession()
  return (permission) => permissions.includes(permission)
}
