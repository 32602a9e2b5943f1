import type { Handlers } from '../../../platform/calls/operation.ts'
import { notFound, validationFailed } from '../../../platform/problems/problem.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findFieldRecord, findTrackRecords } from './queries.ts'
import { computeFieldScore, computeScorecard } from './scorecard.ts'

export const scorecardOperations = {
  async getVendorScorecard({ path, query }, call) {
    const { from = null, to = null } = query
    if (from !== null && to !== null && to < from)
      throw validationFailed([{ pointer: 'to', code: 'minimum', message: 'must not be before from' }])
    const vendor = await vendors.find(call, path.vendorId)
    const record = (await findTrackRecords(call, [vendor.id], { from, to })).get(vendor.id)
    if (record === undefined) throw notFound()
    const frame = { vendorId: vendor.id, from, to, asOf: call.now.toISOString(), currency: call.currency }
    const site = await findFieldRecord(call, vendor.id, { from, to })
    return { status: 200, body: { ...computeScorecard(record, frame), ...computeFieldScore(site) } }
  },
} satisfies Partial<Handlers>
