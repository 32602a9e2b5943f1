import type { BidLevelingAmount, FieldError } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { isAmountHidden, SEALED_MESSAGES } from '../bid-requests/bid-request.ts'
import { lockBidRequest } from '../bid-requests/change-bid-request.ts'
import { LIVE_STATUSES } from '../bids/bid.ts'
import * as bids from '../bids/queries.ts'

/** Stores the amounts that the builder enters to level a bid, and returns the ID of the request. Locks the request. */
export async function setBidLeveling(
  call: WriteCall,
  bidId: string,
  amounts: readonly BidLevelingAmount[],
): Promise<string> {
  const { bidRequestId } = await bids.find(call, bidId)
  const request = await lockBidRequest(call, bidRequestId)
  const before = await bids.lock(call, bidId)
  if (isAmountHidden(call, request)) throw conflict('bids_sealed', SEALED_MESSAGES.level(request.number))
  if (!LIVE_STATUSES.includes(before.status))
    throw conflict(
      'wrong_status',
      `Cannot level the bid: it is ${before.status}. Only a submitted or accepted bid can be leveled.`,
    )
  const errors = findAmountErrors(amounts, new Set(request.lines.map((line) => line.lineId)))
  if (errors.length > 0) throw validationFailed(errors)
  await bids.update(call, before, { leveling: [...amounts] })
  return bidRequestId
}

function findAmountErrors(amounts: readonly BidLevelingAmount[], requested: ReadonlySet<string>): FieldError[] {
  const seen = new Set<string | null>()
  return amounts.flatMap(({ lineId }, place) => {
    const pointer = `/amounts/${place}/lineId`
    const isRepeated = seen.has(lineId)
    seen.add(lineId)
    if (lineId !== null && !requested.has(lineId))
      return [{ pointer, code: 'unknown_line', message: 'is not a line of the bid request' }]
    return isRepeated
      ? [{ pointer, code: 'unique', message: 'must be unique; another amount has the same lineId' }]
      : []
  })
}
