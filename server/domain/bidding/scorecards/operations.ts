import type { Handlers } from '../../../platform/calls/operation.ts'
import { notFound, validationFailed } from '../../../platform/problems/problem.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findTrackRecords } from './queries.ts'
import { computeScorecard } from './scorecard.ts'

export const scorecardOperations = {
  async getVendorScorecard({ path, query }, call) {
    const { from = null, to = null } = query
    if (from !== null && to !== null && to < from)
      throw validationFailed([{ pointer: 'to', code: 'minimum', message: 'must not be before from' }])
    const vendor = await vendors.find(call, path.vendorId)
    const record = (await findTrackRecords(call, [vendor.id], { from, to })).get(vendor.id)
    if (record === undefined) throw notFound()
    return {
      status: 200,
      body: computeScorecard(record, {
        vendorId: vendor.id,
        from,
        to,
        asOf: call.now.toISOString(),
        currency: call.currency,
      }),
    }
  },
} satisfies Partial<Handlers>
