import type { Sale, SalePrice, SalePriceLine } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import * as homes from '../../land/homes/queries.ts'
import { standingOn } from './selection-queries.ts'

/** Returns the price of a sale with its components. */
export async function explained(call: Call, sale: Sale): Promise<SalePrice> {
  const { basePrice, lotPremium, incentives, discounts, lotNumber } = sale
  const lines = [
    line('base', await houseOf(call, sale), basePrice),
    line('lot_premium', lotNumber === null ? 'Premium of the lot' : `Premium of lot ${lotNumber}`, lotPremium),
    ...(await optionLines(call, sale)),
    line('incentive', 'Incentives', -incentives),
    line('discount', 'Discounts', -discounts),
  ].filter(({ kind, amount }) => kind === 'base' || amount !== 0)
  const totalPrice = sum(lines.map(({ amount }) => amount))
  return { saleId: sale.id, lines, totalPrice, currency: sale.currency, asOf: call.now.toISOString() }
}

function line(kind: SalePriceLine['kind'], description: string, amount: number): SalePriceLine {
  return { kind, description, optionId: null, selectionId: null, amount }
}

async function houseOf(call: Call, { homeId, lotNumber }: Sale): Promise<string> {
  const home = homeId === null ? undefined : await homes.findOptional(call, homeId)
  return home === undefined ? `The house on lot ${lotNumber}` : home.name
}

async function optionLines(call: Call, sale: Sale): Promise<SalePriceLine[]> {
  const { homeId, status, agreedOptions, optionsTotal } = sale
  if (homeId === null)
    return agreedOptions.map(({ optionId, name, price }) => ({ ...line('option', name, price), optionId }))
  if (status === 'cancelled') return [line('option', 'What was selected until it was cancelled', optionsTotal)]
  const selected = await standingOn(call, homeId)
  return selected.map((each) => ({ kind: 'option', ...each }))
}
