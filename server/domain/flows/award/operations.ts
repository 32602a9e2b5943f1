import type { Handlers } from '../../../platform/calls/operation.ts'
import { accept } from './accept.ts'
import { reject } from './reject.ts'

export const awardOperations = {
  async acceptBid({ path, body }, call) {
    return { status: 200, body: await call.write((call) => accept(call, path.bidId, body)) }
  },

  async rejectBid({ path, body }, call) {
    return { status: 200, body: await call.write((call) => reject(call, path.bidId, body.reason ?? null)) }
  },
} satisfies Partial<Handlers>
