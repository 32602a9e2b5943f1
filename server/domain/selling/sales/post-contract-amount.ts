import type { WriteCall } from '../../../platform/calls/call.ts'
import { postDifference } from '../../ledger/post-difference.ts'
import * as sales from './queries.ts'

/**
 * Posts the change in the contract amount of a sale. The contract amount is the price of an approved sale, and zero
 * before its approval and after its cancellation.
 */
export async function postContractAmount(call: WriteCall, saleId: string, note: string | null = null): Promise<void> {
  const { homeId, status, totalPrice } = await sales.find(call, saleId)
  const isUnderContract = status === 'approved' || status === 'pipeline_complete'
  const now = isUnderContract ? [{ homeId, saleId, amount: totalPrice }] : []
  await postDifference(call, { measure: 'contract', of: { saleId }, now, note })
}
