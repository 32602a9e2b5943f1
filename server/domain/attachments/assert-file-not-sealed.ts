import { sql } from 'kysely'
import type { Attachment, BidRequest } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { conflict } from '../../platform/problems/problem.ts'
import { isAmountHidden, SEALED_MESSAGES } from '../bidding/bid-requests/bid-request.ts'

type BlindRequest = Pick<BidRequest, 'id' | 'blind' | 'status'>

/** For each kind of record with sealed files, the table that contains the ID of the bid request. */
const REQUEST_SOURCES = {
  bid: sql`"bids"`,
  invitation: sql`"invitations"`,
} as const

/**
 * Throws if a vendor's file is still sealed. The file may contain amounts, which users of the builder must not see
 * before a blind bid request closes.
 */
export async function assertFileNotSealed(call: Call, { recordType, recordId, createdBy }: Attachment): Promise<void> {
  if (recordType !== 'bid' && !(recordType === 'invitation' && createdBy.type === 'vendor')) return
  const { rows } = await sql<BlindRequest>`
    select r."id", r."blind", r."status" from ${REQUEST_SOURCES[recordType]} as t
    join "bidRequests" as r on r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"
    where t."organizationId" = ${call.organizationId} and t."id" = ${recordId}`.execute(call.db)
  const [request] = rows
  if (request !== undefined && isAmountHidden(call, request)) throw conflict('bids_sealed', SEALED_MESSAGES.openFile)
}
