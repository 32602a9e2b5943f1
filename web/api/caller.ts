import { useSuspenseQuery } from '@tanstack/react-query'
import type { HeldPermission, Session } from '../../client/contract.gen.ts'
import { plumbline } from './plumbline.ts'
import { queries } from './queries.ts'

/** Marks what the frame asks for rather than the page, so that the foot of the page does not show it. */
export const OF_THE_FRAME = { ofTheFrame: true }

// A role may be changed while somebody works; a page that is open for long asks again.
const session = plumbline.queryOptions('get', '/api/admin/session', {}, { staleTime: 300_000, meta: OF_THE_FRAME })

/** Who is signed in, for which organization, and what they may do. The shell has it before any page is shown. */
export function useSession(): Session {
  return useSuspenseQuery(session).data
}

/** Asks for it while the page is still on its way, because nothing can be shown before. */
export function askForSession(): void {
  // The shell, which leads to the sign-in, has to meet a refusal itself.
  queries.fetchQuery(session).catch(() => queries.removeQueries({ queryKey: session.queryKey, exact: true }))
}

/** Whether this user may do what asks for the permission; what they may not do is not offered. */
export function useMay(): (permission: HeldPermission) => boolean {
  const { permissions } = useSession()
  return (permission) => permissions.includes(permission)
}
