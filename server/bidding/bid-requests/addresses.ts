import type { BidRequest, Invitation } from '../../../client/contract.gen.ts'
import type { Call } from '../../http/call.ts'
import { addressesOf, seesAddresses } from '../../keys/portal-addresses.ts'

/**
 * Lays the addresses of invitations over an answer, for a caller who may invite: over each one with a single bid
 * request, so that what its ETag names is always the same. Lists and events do not come through here, and have none.
 */
export async function withAddresses(call: Call, request: BidRequest): Promise<BidRequest> {
  return { ...request, invitations: await withOwnAddresses(call, request.invitations) }
}

export async function withOwnAddresses(call: Call, invitations: Invitation[]): Promise<Invitation[]> {
  if (!seesAddresses(call)) return invitations
  const addresses = await addressesOf(
    call,
    invitations.map(({ id }) => id),
  )
  return invitations.map((invitation) => ({ ...invitation, portalUrl: addresses.get(invitation.id) ?? null }))
}
