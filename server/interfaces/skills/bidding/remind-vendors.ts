import type { BidRequest } from '../../../../client/contract.gen.ts'
import { OPEN_INVITATION_STATUSES } from '../../../domain/bidding/bid-requests/bid-request.ts'
import * as vendors from '../../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'

/** Sends a reminder to each invited vendor that has not responded to the request. Returns these vendors. */
export async function remindVendors(call: Call, request: BidRequest): Promise<{ vendorId: string; vendor: string }[]> {
  const counts = new Map(request.invitations.map(({ vendorId, remindersSent }) => [vendorId, remindersSent]))
  if (!request.invitations.some(({ status }) => OPEN_INVITATION_STATUSES.includes(status))) return []
  const { invitations } = await call.operation('remindInvitedVendors', { bidRequestId: request.id })
  const reminded = invitations.filter(({ vendorId, remindersSent }) => remindersSent > (counts.get(vendorId) ?? 0))
  const found = await vendors.findAll(
    call,
    reminded.map(({ vendorId }) => vendorId),
  )
  return found.map(({ id, companyName }) => ({ vendorId: id, vendor: companyName }))
}
