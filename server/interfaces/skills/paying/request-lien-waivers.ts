import type { RequestLienWaiversInput, RequestLienWaiversResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { runWithPointer } from '../frame/attempt-task.ts'

export async function requestLienWaivers(
  { paymentIds, throughDate, exceptions }: RequestLienWaiversInput,
  call: Call,
): Promise<RequestLienWaiversResult> {
  const more = { ...(throughDate !== undefined && { throughDate }), ...(exceptions !== undefined && { exceptions }) }
  const waivers: RequestLienWaiversResult['waivers'] = []
  for (const [i, paymentId] of paymentIds.entries()) {
    const waiver = await runWithPointer(`/paymentIds/${i}`, () =>
      call.operation('requestLienWaiver', { paymentId, ...more }),
    )
    const { id: lienWaiverId, vendorId, waiverType, throughDate, amount } = waiver
    waivers.push({ lienWaiverId, paymentId, vendorId, waiverType, throughDate, amount })
  }
  return { waivers, amount: sum(waivers.map(({ amount }) => amount)), currency: call.currency }
}
