import type { MergeVendorsInput, MergeVendorsResult } from '../../../../client/contract.gen.ts'
import { moveVendorBalances } from '../../../domain/ledger/move-vendor-balances.ts'
import { reassessVendorAfterChange } from '../../../domain/vendors/compliance-documents/assess-vendor.ts'
import { mergeVendors as merge } from '../../../domain/vendors/vendors/merge-vendors.ts'
import * as vendors from '../../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'

export function mergeVendors(input: MergeVendorsInput, call: Call): Promise<MergeVendorsResult> {
  return call.write(async (call) => {
    const merged = await merge(call, input)
    await moveVendorBalances(call, input)
    if (!merged.moved.some(({ kind }) => kind === 'compliance_document')) return merged
    await reassessVendorAfterChange(call, merged.vendor)
    return { ...merged, vendor: await vendors.find(call, input.keepId) }
  })
}
