import type { Some } from '../../http/operation.ts'
import * as bids from './queries.ts'
import { revise, submit, withdraw } from './submit.ts'

export const bidOperations: Some<'listBids' | 'submitBid' | 'getBid' | 'reviseBid' | 'withdrawBid'> = {
  async listBids({ query }, call) {
    const { data, nextCursor } = (await bids.list(call.db, call.organizationId, query)).value
    return { status: 200, body: { data: data.map(bids.toBid), nextCursor } }
  },

  async submitBid({ body }, call) {
    const bid = await call.write((trx) => submit(trx, call, body))
    return { status: 201, body: bid, headers: { Location: `/api/ext/bids/${bid.id}` } }
  },

  async getBid({ path }, call) {
    return { status: 200, body: bids.toBid(await bids.find(call.db, call.organizationId, path.bidId)) }
  },

  async reviseBid({ path, body }, call) {
    return { status: 200, body: await call.write((trx) => revise(trx, call, path.bidId, body)) }
  },

  async withdrawBid({ path, body }, call) {
    return { status: 200, body: await call.write((trx) => withdraw(trx, call, path.bidId, body?.reason ?? null)) }
  },
}
