import type { Handlers } from '../../../platform/calls/operation.ts'
import { acceptBid } from './accept-bid.ts'
import { rejectBid } from './reject-bid.ts'

export const awardOperations = {
  async acceptBid({ path, body }, call) {
    return { status: 200, body: await call.write((call) => acceptBid(call, path.bidId, body)) }
  },

  async rejectBid({ path, body }, call) {
    return { status: 200, body: await call.write((call) => rejectBid(call, path.bidId, body.reason ?? null)) }
  },
} satisfies Partial<Handlers>
