import type { BillLine, PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { getOpenBalances } from '../../ledger/open-balances.ts'
import { spreadAmount } from '../../ledger/spread-amount.ts'

/** The unbilled amounts of order lines. The keys consist of an order ID and a line ID. */
export type Unbilled = Map<string, number>

/** Returns the unbilled amounts of the lines of locked orders. */
export async function loadUnbilledAmounts(call: Tenant, poIds: readonly string[]): Promise<Unbilled> {
  const unbilled: Unbilled = new Map()
  for (const { poId, poLineId, amount } of await getOpenBalances(call, ['unbilled'], { poIds }))
    add(unbilled, `${poId} ${poLineId}`, amount)
  return unbilled
}

/**
 * Divides a bill line among the lines of its order. If the bill line refers to an order line, that order line receives
 * the entire amount. Otherwise, divides the amount in proportion to unbilled work or, without unbilled work, to the
 * ordered amounts. Subtracts the divided amounts from `unbilled`.
 */
export function divideOverLines(
  { poLineId, amount }: Pick<BillLine, 'poLineId' | 'amount'>,
  order: PurchaseOrder,
  unbilled: Unbilled,
  currency: string,
): { line: PurchaseOrderLine; amount: number }[] {
  const named = order.lines.filter(({ lineId }) => lineId === poLineId)
  const lines = named.length > 0 ? named : order.lines
  const sign = amount < 0 ? -1 : 1
  const room = lines.map(({ lineId }) => Math.max(sign * (unbilled.get(`${order.id} ${lineId}`) ?? 0), 0))
  const weights = sum(room) > 0 ? room : lines.map(({ total, taxAmount }) => Math.abs(sum([total, taxAmount])))
  const parts = spreadAmount(amount, weights, currency)
  return lines.map((line, i) => {
    const part = parts[i] ?? 0
    add(unbilled, `${order.id} ${line.lineId}`, -part)
    return { line, amount: part }
  })
}

function add(amounts: Unbilled, key: string, amount: number): void {
  amounts.set(key, sum([amounts.get(key) ?? 0, amount]))
}
