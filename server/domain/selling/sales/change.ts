import type { Home, Sale, SaleCancellation, SaleUpdate } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalid } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { minus } from '../../../platform/values/money.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { closeOpenChanges, recordPriceChange } from '../price-changes/record.ts'
import { settled, summedUp } from './deposits.ts'
import { assertNamed, sellableHome } from './place.ts'
import { postContract } from './post-contract.ts'
import * as sales from './queries.ts'
import { amountOf, assertPriceable, assertSaleMove, commissionOf, wholeBuyers } from './sale.ts'
import { declinePending, notSelected } from './selection-queries.ts'

export interface Locked {
  readonly sale: Sale
  readonly home: Home | null
}

/** Locks the sale and its home. The home is always locked first. */
export async function lockWithHome(call: WriteCall, id: string): Promise<Locked> {
  const { homeId } = await sales.find(call, id)
  if (homeId !== null) await homes.lock(call, homeId)
  const sale = await sales.lock(call, id)
  return { sale, home: sale.homeId === null ? null : await homes.lock(call, sale.homeId) }
}

/** Returns the current date in the sale's community. */
export async function todayAt(call: Call, { communityId }: Sale): Promise<string> {
  const community = communityId === null ? undefined : await communities.findOptional(call, communityId)
  return dateIn(community?.timeZone ?? call.timeZone, call.now)
}

export async function changeTerms(call: WriteCall, before: Sale, body: SaleUpdate): Promise<Sale> {
  const { buyers, homeId, basePrice, saleDate, commissionPercent, commissionAmount, ...rest } = body
  if (basePrice === null) throw invalid([{ pointer: '/basePrice', code: 'required', message: 'must not be null' }])
  await assertNamed(call, { homeId })
  const attached = homeId == null || homeId === before.homeId ? null : await attachedHome(call, before, homeId)
  if (homeId === null && before.homeId !== null)
    throw conflict('in_use', `Cannot remove the home from ${before.number}. Cancel the sale to release the home.`)
  const after = await sales.update(call, before, {
    ...rest,
    ...commissionOf({ commissionPercent, commissionAmount }),
    basePrice,
    ...(buyers !== undefined && { buyers: wholeBuyers(buyers) }),
    ...(saleDate !== undefined && { saleDate: saleDate ?? (await todayAt(call, before)) }),
    ...(attached !== null && { homeId: attached.id, planId: attached.planId, elevation: attached.elevation }),
  })
  if (attached !== null) {
    await homes.keepSale(call, attached.id, { saleId: after.id, ...heldAs(after) })
    // The selections of the home replace the options that were agreed on for the lot.
    const description = `Selections of ${attached.name}`
    const price = minus(after.totalPrice, before.totalPrice)
    await recordPriceChange(call, after, {
      ...{ homeId: attached.id, on: await todayAt(call, after), title: description },
      line: { optionSelectionId: null, description, scope: null, price, cost: null },
    })
    await postContract(call, after.id)
  }
  assertPriceable(after)
  return after
}

/** Returns the home that was added to the lot after the sale. */
async function attachedHome(call: WriteCall, before: Sale, homeId: string): Promise<Home> {
  const { communityId, block, lotNumber, number, agreedOptions } = before
  if (before.homeId !== null) throw conflict('already_done', `${number} already has a home.`)
  const home = await sellableHome(call, homeId, before.id)
  if (home.communityId !== communityId || home.lotNumber !== lotNumber || (home.block ?? '') !== (block ?? ''))
    throw conflict('not_suitable', `Cannot use ${home.name}: it is not on the lot of ${number}.`)
  const missing = await notSelected(
    call,
    home.id,
    agreedOptions.map(({ optionId }) => optionId),
  )
  if (missing.length > 0)
    throw conflict(
      'not_available',
      `These options of ${number} are not selected for ${home.name}: ${missing.join(', ')}. Select them first.`,
    )
  return home
}

function heldAs(sale: Sale): Omit<homes.HeldBy, 'saleId'> {
  if (sale.status === 'pending') return { saleStatus: 'pending', saleAmount: null }
  return { saleStatus: 'approved', saleAmount: amountOf(sale) }
}

export async function approve(call: WriteCall, { sale, home }: Locked, reason: string | null): Promise<Sale> {
  assertSaleMove(sale, 'approved')
  const approval = { approvedBy: call.actor, approvedAt: call.now.toISOString(), originalPrice: sale.totalPrice }
  const after = await sales.update(call, sale, { status: 'approved', ...approval })
  if (home !== null) await homes.keepSale(call, home.id, { saleId: after.id, ...heldAs(after) })
  await recordStatusChange(call, { id: after.id, from: sale.status, to: after.status, reason })
  await recordEvent(call, 'sale.approved', after, sale)
  await postContract(call, after.id)
  return after
}

export async function cancel(
  call: WriteCall,
  { sale, home }: Locked,
  { reason, depositDisposition = null }: SaleCancellation,
): Promise<Sale> {
  assertSaleMove(sale, 'cancelled')
  const today = await todayAt(call, sale)
  const deposits = settled(sale.deposits, { disposition: depositDisposition, reason, today })
  await sales.keepOptions(call, sale.id, sale.optionsTotal)
  const after = await sales.update(call, sale, {
    ...{ status: 'cancelled', cancelledAt: call.now.toISOString(), cancelReason: reason },
    ...summedUp(deposits),
  })
  if (home !== null) {
    await homes.keepSale(call, home.id, { saleId: null, saleStatus: null, saleAmount: null })
    const why = `${sale.number} was cancelled: ${reason}`.slice(0, 1000)
    await closeOpenChanges(call, home.id, why)
    await declinePending(call, home.id, why)
  }
  await recordStatusChange(call, { id: after.id, from: sale.status, to: after.status, reason })
  await recordEvent(call, 'sale.cancelled', after, sale)
  await postContract(call, after.id)
  return after
}
