import type { WriteCall } from '../../../platform/calls/call.ts'
import { postDifference } from '../../ledger/post-difference.ts'
import * as sales from './queries.ts'

/**
 * Posts the change in a sale's contract amount, which is the price from approval until cancellation, and otherwise
 * zero.
 */
export async function postContractAmount(call: WriteCall, saleId: string, note: string | null = null): Promise<void> {
  const { homeId, status, totalPrice } = await sales.find(call, saleId)
  const isUnderContract = status === 'approved' || status === 'pipeline_complete'
  const now = isUnderContract ? [{ homeId, saleId, amount: totalPrice }] : []
  await postDifference(call, { measure: 'contract', of: { saleId }, now, note })
}
