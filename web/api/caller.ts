import type { HeldPermission, Session } from '../../client/contract.gen.ts'
import { plumbline } from './plumbline.ts'

/** Who is signed in, for which organization, and what they may do. The shell has it before any page is shown. */
export function useSession(): Session {
  // A role may be changed while somebody works; a page that is open for long asks again.
  return plumbline.useSuspenseQuery('get', '/api/admin/session', {}, { staleTime: 300_000, meta: OF_THE_FRAME }).data
}

/** Marks what the frame asks for rather than the page, so that the foot of the page does not show it. */
export const OF_THE_FRAME = { ofTheFrame: true }

/** Whether this user may do what asks for the permission; what they may not do is not offered. */
export function useMay(): (permission: HeldPermission) => boolean {
  const { permissions } = useSession()
  return (permission) => permissions.includes(permission)
}
