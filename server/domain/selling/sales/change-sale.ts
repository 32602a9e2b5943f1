import type { Home, Sale, SaleCancellation, SaleUpdate } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { subtract } from '../../../platform/values/money.ts'
import * as communities from '../../land/communities/queries.ts'
import { addApprovedBuyers, archiveOwners, replaceBuyers } from '../../land/home-owners/add-owners.ts'
import * as homes from '../../land/homes/queries.ts'
import { closeOpenChanges, recordPriceChange } from '../price-changes/record-price-change.ts'
import { settleDeposits, toDepositFields } from './deposits.ts'
import { postContractAmount } from './post-contract-amount.ts'
import { postOwnerAmounts } from './post-owner-amounts.ts'
import * as sales from './queries.ts'
import { assertSaleTransition, assertValidSalePrice, resolveCommission, sumPriceTerms, toBuyers } from './sale.ts'
import { assertReferencesExist, lockSellableHome } from './sale-place.ts'
import { declinePendingSelections, listUnselectedOptionCodes } from './selection-queries.ts'

export interface LockedSale {
  readonly sale: Sale
  readonly home: Home | null
}

/** Locks the home and then the sale, in this order. */
export async function lockSaleWithHome(call: WriteCall, id: string): Promise<LockedSale> {
  const { homeId } = await sales.find(call, id)
  if (homeId !== null) await homes.lock(call, homeId)
  const sale = await sales.lock(call, id)
  return { sale, home: sale.homeId === null ? null : await homes.lock(call, sale.homeId) }
}

/** Returns the current date in the time zone of the sale's community. */
export async function findTodayInCommunity(call: Call, { communityId }: Sale): Promise<string> {
  const community = communityId === null ? undefined : await communities.findOptional(call, communityId)
  return toLocalDate(community?.timeZone ?? call.timeZone, call.now)
}

export async function changeSaleTerms(call: WriteCall, before: Sale, body: SaleUpdate): Promise<Sale> {
  const { buyers, homeId, basePrice, saleDate, commissionPercent, commissionAmount, ...rest } = body
  if (basePrice === null)
    throw validationFailed([{ pointer: '/basePrice', code: 'required', message: 'must not be null' }])
  await assertReferencesExist(call, { homeId })
  const attached = homeId == null || homeId === before.homeId ? null : await lockAttachedHome(call, before, homeId)
  if (homeId === null && before.homeId !== null)
    throw conflict('in_use', `Cannot remove the home from ${before.number}. Cancel the sale to release the home.`)
  const after = await sales.update(call, before, {
    ...rest,
    ...resolveCommission({ commissionPercent, commissionAmount }),
    basePrice,
    ...(buyers !== undefined && { buyers: toBuyers(buyers) }),
    ...(saleDate !== undefined && { saleDate: saleDate ?? (await findTodayInCommunity(call, before)) }),
    ...(attached !== null && { homeId: attached.id, planId: attached.planId, elevation: attached.elevation }),
  })
  if (attached !== null) {
    await homes.storeSale(call, attached.id, { saleId: after.id, ...toHomeSale(after) })
    // The selections of the home replace the options that were agreed on when the lot was sold.
    const description = `Selections of ${attached.name}`
    const price = subtract(after.totalPrice, before.totalPrice)
    await recordPriceChange(call, after, {
      ...{ homeId: attached.id, on: await findTodayInCommunity(call, after), title: description },
      line: { optionSelectionId: null, description, scope: null, price, cost: null },
    })
    await postContractAmount(call, after.id)
    await postOwnerAmounts(call, after.id, await findTodayInCommunity(call, after))
  }
  if (after.status === 'approved' && after.homeId !== null) {
    if (attached !== null) await addApprovedBuyers(call, after.homeId, after.buyers)
    else await replaceBuyers(call, after.homeId, { before: before.buyers, after: after.buyers })
  }
  assertValidSalePrice(after)
  return after
}

/** Returns the home that was added on the lot after the sale of the lot, and locks it. */
async function lockAttachedHome(call: WriteCall, before: Sale, homeId: string): Promise<Home> {
  const { communityId, block, lotNumber, number, agreedOptions } = before
  if (before.homeId !== null)
    throw conflict('already_done', `Cannot set the home of ${number}: the sale already has a home.`)
  const home = await lockSellableHome(call, homeId, before.id)
  if (home.communityId !== communityId || home.lotNumber !== lotNumber || (home.block ?? '') !== (block ?? ''))
    throw conflict('not_suitable', `Cannot use ${home.name}: it is not on the lot of ${number}.`)
  const missing = await listUnselectedOptionCodes(
    call,
    home.id,
    agreedOptions.map(({ optionId }) => optionId),
  )
  if (missing.length > 0)
    throw conflict(
      'not_available',
      `Cannot add ${home.name} to ${number}: some agreed options are not selected for the home (${missing.join(', ')}). Select them first.`,
    )
  return home
}

function toHomeSale(sale: Sale): Omit<homes.HomeSale, 'saleId'> {
  if (sale.status === 'pending') return { saleStatus: 'pending', saleAmount: null }
  return { saleStatus: 'approved', saleAmount: sumPriceTerms(sale) }
}

export async function approveSale(call: WriteCall, { sale, home }: LockedSale, reason: string | null): Promise<Sale> {
  assertSaleTransition(sale, 'approved')
  const approval = { approvedBy: call.actor, approvedAt: call.now.toISOString(), originalPrice: sale.totalPrice }
  const after = await sales.update(call, sale, { status: 'approved', ...approval })
  if (home !== null) {
    await homes.storeSale(call, home.id, { saleId: after.id, ...toHomeSale(after) })
    await addApprovedBuyers(call, home.id, after.buyers)
  }
  await recordStatusChange(call, { id: after.id, from: sale.status, to: after.status, reason })
  await recordEvent(call, 'sale.approved', after, sale)
  await postContractAmount(call, after.id)
  return after
}

export async function cancelSale(
  call: WriteCall,
  { sale, home }: LockedSale,
  { reason, depositDisposition = null }: SaleCancellation,
): Promise<Sale> {
  assertSaleTransition(sale, 'cancelled')
  const today = await findTodayInCommunity(call, sale)
  const deposits = settleDeposits(sale.deposits, { disposition: depositDisposition, reason, today })
  await sales.storeOptionsTotal(call, sale.id, sale.optionsTotal)
  const after = await sales.update(call, sale, {
    ...{ status: 'cancelled', cancelledAt: call.now.toISOString(), cancelReason: reason },
    ...toDepositFields(deposits),
  })
  if (home !== null) {
    await homes.storeSale(call, home.id, { saleId: null, saleStatus: null, saleAmount: null })
    await archiveOwners(call, home.id)
    const why = `${sale.number} was canceled: ${reason}`.slice(0, 1000)
    await closeOpenChanges(call, home.id, why)
    await declinePendingSelections(call, home.id, why)
  }
  await recordStatusChange(call, { id: after.id, from: sale.status, to: after.status, reason })
  await recordEvent(call, 'sale.cancelled', after, sale)
  await postContractAmount(call, after.id)
  await postOwnerAmounts(call, after.id, today)
  return after
}
