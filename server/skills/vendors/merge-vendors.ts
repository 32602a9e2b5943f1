import type { MergeVendorsInput, MergeVendorsResult } from '../../../client/contract.gen.ts'
import { judgeAfterChange } from '../../bidding/compliance-documents/judge-vendor.ts'
import { mergeVendors as merge } from '../../bidding/vendors/merge.ts'
import * as vendors from '../../bidding/vendors/queries.ts'
import type { Call } from '../../http/call.ts'

export function mergeVendors(input: MergeVendorsInput, call: Call): Promise<MergeVendorsResult> {
  return call.write(async (call) => {
    const merged = await merge(call, input)
    if (!merged.moved.some(({ kind }) => kind === 'compliance_document')) return merged
    await judgeAfterChange(call, merged.vendor)
    return { ...merged, vendor: await vendors.find(call, input.keepId) }
  })
}
