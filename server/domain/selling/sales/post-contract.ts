import type { WriteCall } from '../../../platform/calls/call.ts'
import { postDifference } from '../../ledger/post-difference.ts'
import * as sales from './queries.ts'

/** Posts what the contract of a sale has changed by: its price from the approval until a cancellation. */
export async function postContract(call: WriteCall, saleId: string): Promise<void> {
  const { homeId, status, totalPrice } = await sales.find(call, saleId)
  const isUnderContract = status === 'approved' || status === 'pipeline_complete'
  const now = isUnderContract ? [{ homeId, saleId, amount: totalPrice }] : []
  await postDifference(call, { measure: 'contract', of: { saleId }, now })
}
