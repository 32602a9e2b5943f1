import type { Call } from '../http/call.ts'
import { Problem, unknownReference } from '../http/problem.ts'

/**
 * Throws `unknown_reference` when the input of a skill names a community that is not there, so that a mistyped id is not
 * taken for a community in which there is nothing to find. Needs communities:read, where one is named.
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
