import { useSuspenseQuery } from '@tanstack/react-query'
import type { HeldPermission, Session } from '../../client/contract.gen.ts'
import { plumbline } from './plumbline.ts'
import { queryClient } from './query-client.ts'

/** Marks requests of the frame, so that the footer of the page does not list them. */
export const FRAME_QUERY = { ofTheFrame: true }

// A role may change while a user works, so a page that stays open requests the session again.
const sessionQuery = plumbline.queryOptions('get', '/api/admin/session', {}, { staleTime: 300_000, meta: FRAME_QUERY })

/**
 * Returns the signed-in user, the organization, and the permissions. The shell has loaded the session before any page
 * is shown.
 */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data
}

/** Returns the session if it is already loaded; otherwise, undefined. On the sign-in page there is no session. */
export function findSession(): Session | undefined {
  return queryClient.getQueryData(sessionQuery.queryKey)
}

/** Requests the session while the first page still loads, because nothing can be shown without it. */
export function prefetchSession(): void {
  // The shell, which redirects to the sign-in page, must see an error itself.
  queryClient
    .fetchQuery(sessionQuery)
    .catch(() => queryClient.removeQueries({ queryKey: sessionQuery.queryKey, exact: true }))
}

/** Returns a function that returns whether the user has a permission. Actions without permission are hidden. */
export function useCan(): (permission: HeldPermission) => boolean {
  const { permissions } = useSession()
  return (permission) => permissions.includes(permission)
}
