import type { Handlers } from '../../../platform/calls/operation.ts'
import * as bids from './queries.ts'
import { reviseBid, submitBid, withdrawBid } from './submit-bid.ts'

export const bidOperations = {
  async listBids({ query }, call) {
    const { data, nextCursor } = (await bids.list(call, query)).value
    return { status: 200, body: { data: data.map((row) => bids.toBid(call, row)), nextCursor } }
  },

  async submitBid({ body }, call) {
    const bid = await call.write((call) => submitBid(call, body))
    return { status: 201, body: bid }
  },

  async getBid({ path }, call) {
    return { status: 200, body: bids.toBid(call, await bids.find(call, path.bidId)) }
  },

  async reviseBid({ path, body, ifMatch }, call) {
    return { status: 200, body: await call.write((call) => reviseBid(call, path.bidId, body, ifMatch)) }
  },

  async withdrawBid({ path, body }, call) {
    return { status: 200, body: await call.write((call) => withdrawBid(call, path.bidId, body.reason ?? null)) }
  },
} satisfies Partial<Handlers>
