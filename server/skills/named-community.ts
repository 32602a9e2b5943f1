import type { Call } from '../http/call.ts'
import { Problem, unknownReference } from '../http/problem.ts'

/**
 * Throws `unknown_reference` if a skill's input names a community that does not exist, so that a mistyped id is not
 * taken for a community without findings. Needs communities:read if a community is named.
 */
export async function assertCommunity(call: Call, communityId: string | undefined): Promise<void> {
  if (communityId === undefined) return
  try {
    await call.operation('getCommunity', { communityId })
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') throw unknownReference(['/communityId'])
    throw error
  }
}
