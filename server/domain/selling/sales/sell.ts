import type { Option, Sale, SaleOption } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalid, unknownReference } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import { reasonNotToSelect } from '../../costs/options/option.ts'
import * as options from '../../costs/options/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { counted, newContingencies } from './contingencies.ts'
import { newDeposits, summedUp } from './deposits.ts'
import { newPipeline } from './pipeline.ts'
import { type Place, placeOf } from './place.ts'
import * as sales from './queries.ts'
import { assertPriceable, commissionOf, wholeBuyers } from './sale.ts'

/**
 * Creates a sale and reserves its home or lot. The caller records the event, because a conversion records its own event
 * first.
 */
export async function sell(call: WriteCall, body: Checked['SaleCreate'], leadId: string | null): Promise<Sale> {
  const place = await placeOf(call, body)
  const agreedOptions = await agreedOn(call, place, body.optionIds)
  const optionsFixed = sum(agreedOptions.map(({ price }) => price))
  const basePrice = body.basePrice ?? place.basePrice
  if (basePrice === null)
    throw invalid([
      { pointer: '/basePrice', code: 'required', message: 'is required because neither the home nor the plan has one' },
    ])
  const { homeId, optionIds: _, deposits, contingencies, buyers, saleDate, revenueMethod, ...rest } = body
  const { home, community, block, lotNumber, planId, elevation } = place
  const optionsTotal = home === null ? optionsFixed : home.optionsTotal
  assertPriceable({ ...rest, basePrice, optionsTotal })
  const inserted = await sales.insert(call, {
    ...rest,
    ...commissionOf(body),
    ...{ leadId, number: await sales.nextNumber(call), status: 'pending', currency: call.currency, basePrice },
    ...{ homeId: homeId ?? null, communityId: community.id, block, lotNumber, planId, elevation, agreedOptions },
    revenueMethod: revenueMethod ?? (home?.homeType === 'custom' ? 'over_time' : 'at_closing'),
    ...{ buyers: wholeBuyers(buyers), saleDate: saleDate ?? dateIn(community.timeZone, call.now) },
    ...summedUp(newDeposits(deposits)),
    ...counted(newContingencies(contingencies)),
    ...newPipeline(await sales.stagesOf(call)),
  })
  if (optionsFixed !== 0) await sales.keepOptions(call, inserted.id, optionsFixed)
  if (home !== null)
    await homes.keepSale(call, home.id, { saleId: inserted.id, saleStatus: 'pending', saleAmount: null })
  await recordStatusChange(call, { id: inserted.id, from: null, to: inserted.status })
  return optionsFixed === 0 ? inserted : sales.find(call, inserted.id)
}

/** Returns the options agreed on for a home that does not exist yet, at today's prices. */
async function agreedOn(call: WriteCall, place: Place, ids: readonly string[]): Promise<SaleOption[]> {
  if (ids.length === 0) return []
  const found = new Map((await options.findAll(call, ids)).map((option) => [option.id, option]))
  const unknown = ids.flatMap((id, i) => (found.has(id) ? [] : [`/optionIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  return [...found.values()].map((option) => {
    const { id: optionId, code, name } = option
    return { optionId, code, name, price: priceOf(option, place) }
  })
}

function priceOf(option: Option, { community, planId, lotNumber }: Place): number {
  const { code, status, price } = option
  const reason = reasonNotToSelect(option, { name: `lot ${lotNumber}`, planId, communityId: community.id })
  if (reason !== null) throw conflict('not_available', reason)
  if (status !== 'active')
    throw conflict('wrong_status', `Cannot sell ${code}: the option is ${describeStatus(status)}. Activate it first.`)
  if (price === null)
    throw conflict(
      'missing_data',
      `The price of ${code} depends on its cost in a home. Add it as a selection of a home instead.`,
    )
  return price
}
