import type { Bill, BillStatus } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { sum } from '../../../platform/values/money.ts'
import { findPartsOfBills, getPaidAmount, getReservedAmount } from './parts.ts'
import * as bills from './queries.ts'

/**
 * Updates the amounts and statuses of approved bills after their payments change. The caller must hold the locks of the
 * bills' orders or vendor.
 */
export async function updateBillsAfterPayment(call: WriteCall, billIds: readonly string[]): Promise<void> {
  if (billIds.length === 0) return
  // A bill can belong to several orders, and this transaction may have locked only some of these orders.
  await bills.lockByIds(call, billIds)
  const byBill = Map.groupBy(await findPartsOfBills(call, billIds), ({ billId }) => billId)
  for (const before of await bills.findAll(call, [...billIds].sort())) {
    const parts = byBill.get(before.id)
    if (parts === undefined) continue
    const paidAmount = sum(parts.map(getPaidAmount))
    const changes = {
      paidAmount,
      reservedAmount: sum(parts.map(getReservedAmount)),
      discountTaken: sum(parts.map(({ discountTaken }) => discountTaken)),
      status: getStatus(before, paidAmount),
    }
    const after = await bills.update(call, before, changes)
    if (after.status === before.status) continue
    await recordStatusChange(call, { id: after.id, from: before.status, to: after.status })
    if (after.status === 'paid') await recordEvent(call, 'bill.paid', after, before)
  }
}

function getStatus({ amount }: Bill, paidAmount: number): BillStatus {
  if (paidAmount === amount) return 'paid'
  return paidAmount === 0 ? 'approved' : 'partially_paid'
}
