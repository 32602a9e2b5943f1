import type { Sale, SalePrice, SalePriceLine } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import * as homes from '../../land/homes/queries.ts'
import { listApprovedSelections } from './selection-queries.ts'

/** Returns the price of a sale with its components. */
export async function explainPrice(call: Call, sale: Sale): Promise<SalePrice> {
  const { basePrice, lotPremium, incentives, discounts, lotNumber } = sale
  const lines = [
    toPriceLine('base', await describeHouse(call, sale), basePrice),
    toPriceLine('lot_premium', lotNumber === null ? 'Premium of the lot' : `Premium of lot ${lotNumber}`, lotPremium),
    ...(await listOptionLines(call, sale)),
    toPriceLine('incentive', 'Incentives', -incentives),
    toPriceLine('discount', 'Discounts', -discounts),
  ].filter(({ kind, amount }) => kind === 'base' || amount !== 0)
  const totalPrice = sum(lines.map(({ amount }) => amount))
  return { saleId: sale.id, lines, totalPrice, currency: sale.currency, asOf: call.now.toISOString() }
}

function toPriceLine(kind: SalePriceLine['kind'], description: string, amount: number): SalePriceLine {
  return { kind, description, optionId: null, selectionId: null, amount }
}

async function describeHouse(call: Call, { homeId, lotNumber }: Sale): Promise<string> {
  const home = homeId === null ? undefined : await homes.findOptional(call, homeId)
  return home === undefined ? `The house on lot ${lotNumber}` : home.name
}

async function listOptionLines(call: Call, sale: Sale): Promise<SalePriceLine[]> {
  const { homeId, status, agreedOptions, optionsTotal } = sale
  if (homeId === null)
    return agreedOptions.map(({ optionId, name, price }) => ({ ...toPriceLine('option', name, price), optionId }))
  if (status === 'cancelled')
    return [toPriceLine('option', 'Options selected before the sale was canceled', optionsTotal)]
  const selected = await listApprovedSelections(call, homeId)
  return selected.map((each) => ({ kind: 'option', ...each }))
}
