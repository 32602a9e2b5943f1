import type { Option, Sale, SaleOption } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import { explainWhyOptionCannotBeSelected } from '../../costs/options/option.ts'
import * as options from '../../costs/options/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { toContingencies, toContingencyFields } from './contingencies.ts'
import { toDepositFields, toDeposits } from './deposits.ts'
import { createSalePipeline } from './pipeline.ts'
import * as sales from './queries.ts'
import { assertValidSalePrice, resolveCommission, toBuyers } from './sale.ts'
import { lockSalePlace, type SalePlace } from './sale-place.ts'

/**
 * Creates a sale and reserves its home or lot. The caller must record the event, because the conversion of a lead
 * records its own event first.
 */
export async function createSale(call: WriteCall, body: Checked['SaleCreate'], leadId: string | null): Promise<Sale> {
  const place = await lockSalePlace(call, body)
  const agreedOptions = await toAgreedOptions(call, place, body.optionIds)
  const optionsFixed = sum(agreedOptions.map(({ price }) => price))
  const basePrice = body.basePrice ?? place.basePrice
  if (basePrice === null)
    throw validationFailed([
      {
        pointer: '/basePrice',
        code: 'required',
        message: 'is required because neither the home nor the plan has a base price',
      },
    ])
  const { homeId, optionIds: _, deposits, contingencies, buyers, saleDate, revenueMethod, ...rest } = body
  const { home, community, block, lotNumber, planId, elevation } = place
  const optionsTotal = home === null ? optionsFixed : home.optionsTotal
  assertValidSalePrice({ ...rest, basePrice, optionsTotal })
  const inserted = await sales.insert(call, {
    ...rest,
    ...resolveCommission(body),
    ...{ leadId, number: await sales.takeNextNumber(call), status: 'pending', currency: call.currency, basePrice },
    ...{ homeId: homeId ?? null, communityId: community.id, block, lotNumber, planId, elevation, agreedOptions },
    revenueMethod: revenueMethod ?? (home?.homeType === 'custom' ? 'over_time' : 'at_closing'),
    ...{ buyers: toBuyers(buyers), saleDate: saleDate ?? toLocalDate(community.timeZone, call.now) },
    ...toDepositFields(toDeposits(deposits)),
    ...toContingencyFields(toContingencies(contingencies)),
    ...createSalePipeline(await sales.findPipelineStages(call)),
  })
  if (optionsFixed !== 0) await sales.storeOptionsTotal(call, inserted.id, optionsFixed)
  if (home !== null)
    await homes.storeSale(call, home.id, { saleId: inserted.id, saleStatus: 'pending', saleAmount: null })
  await recordStatusChange(call, { id: inserted.id, from: null, to: inserted.status })
  return optionsFixed === 0 ? inserted : sales.find(call, inserted.id)
}

/** Returns the agreed options at their current prices, for a home that does not exist yet. */
async function toAgreedOptions(call: WriteCall, place: SalePlace, ids: readonly string[]): Promise<SaleOption[]> {
  if (ids.length === 0) return []
  const found = new Map((await options.findAll(call, ids)).map((option) => [option.id, option]))
  const unknown = ids.flatMap((id, i) => (found.has(id) ? [] : [`/optionIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  return [...found.values()].map((option) => {
    const { id: optionId, code, name } = option
    return { optionId, code, name, price: optionPrice(option, place) }
  })
}

function optionPrice(option: Option, { community, planId, lotNumber }: SalePlace): number {
  const { code, status, price } = option
  const reason = explainWhyOptionCannotBeSelected(option, {
    name: `lot ${lotNumber}`,
    planId,
    communityId: community.id,
  })
  if (reason !== null) throw conflict('not_available', reason)
  if (status !== 'active')
    throw conflict('wrong_status', `Cannot sell ${code}: the option is ${describeStatus(status)}. Activate it first.`)
  if (price === null)
    throw conflict(
      'missing_data',
      `Cannot sell ${code}: the price of the option depends on its cost in a home. Add the option as a selection of a home instead.`,
    )
  return price
}
