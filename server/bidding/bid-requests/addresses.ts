import type { BidRequest, Invitation } from '../../../client/contract.gen.ts'
import type { Call } from '../../http/call.ts'
import { addressesOf, seesAddresses } from '../../keys/portal-addresses.ts'

/**
 * Adds the invitations' addresses to a response for a caller who may invite. This applies to every response with a
 * single bid request, so that an ETag always stands for the same content. Lists and events do not use this, and never
 * have addresses.
 */
export async function withAddresses(call: Call, request: BidRequest): Promise<BidRequest> {
  return { ...request, invitations: await withOwnAddresses(call, request.invitations) }
}

export async function withOwnAddresses(call: Call, invitations: Invitation[]): Promise<Invitation[]> {
  if (!seesAddresses(call)) return invitations
  const ids = invitations.map(({ id }) => id)
  return shown(invitations, await addressesOf(call, ids))
}

/** The same right after they were issued. */
export function withIssued(call: Call, request: BidRequest, addresses: ReadonlyMap<string, string>): BidRequest {
  return seesAddresses(call) ? { ...request, invitations: shown(request.invitations, addresses) } : request
}

function shown(invitations: Invitation[], addresses: ReadonlyMap<string, string>): Invitation[] {
  return invitations.map((invitation) => ({ ...invitation, portalUrl: addresses.get(invitation.id) ?? null }))
}
