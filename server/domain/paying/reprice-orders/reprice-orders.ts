import type { Contract, PurchaseOrder, Repricing } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus, formatNumber } from '../../../platform/values/format.ts'
import { lockContract } from '../../bidding/contracts/change-contract.ts'
import { findVendorOffers, type PriceOffer } from '../../costs/prices/vendor-offers.ts'
import { findOrderErrors } from '../purchase-orders/purchase-order.ts'
import * as orders from '../purchase-orders/queries.ts'
import { calculateOrderTotals } from '../purchase-orders/totals.ts'
import * as openOrders from './reprice-queries.ts'

/**
 * The limits of one request. These limits bound the number of locks and the size of the response for builders of any
 * size.
 */
const MAX_ORDERS = 500
const MAX_LINES = 5000

interface ComparedOrder {
  order: PurchaseOrder
  after: PurchaseOrder
  /** The vendor's price for each line with a part, by line ID. */
  offers: ReadonlyMap<string, PriceOffer>
}

/**
 * Changes the prices in the vendor's open orders to those that apply on a date. Prices of the contract take precedence.
 * The number of statements does not depend on the number of orders. Locks the contract first, and then the orders by
 * ID.
 */
export async function repriceOrders(
  call: WriteCall,
  contractId: string,
  requested: Input<'repriceOpenPurchaseOrders'>['body'],
): Promise<Repricing> {
  const contract = await lockContract(call, contractId)
  if (contract.status !== 'active')
    throw conflict(
      'contract_not_active',
      `Cannot reprice the orders of ${contract.number}: it is ${describeStatus(contract.status)}.`,
    )
  const { effectiveDate: on = maxDate(toLocalDate(call.timeZone, call.now), contract.effectiveDate) } = requested
  const compared = await compareOrders(
    call,
    contract,
    await lockOrdersToReprice(call, contract, requested.communityId ?? null),
    on,
  )
  const drafts = compared.filter(({ order }) => order.status === 'draft')
  const changed = drafts.filter(({ order, after }) => hasNewPrices(order, after, ['unitPrice', 'priceId']))
  for (const { after } of changed) assertValidTotals(after)
  await openOrders.storePrices(
    call,
    changed.map(({ after }) => after),
  )
  const reported = compared.filter(
    ({ order, after }) => order.status !== 'draft' && hasNewPrices(order, after, ['unitPrice']),
  )
  return {
    ...{
      contractId,
      effectiveDate: on,
      repriced: changed.map(toRepricedOrder),
      reported: reported.map(toRepricedOrder),
    },
    unchanged: drafts.length - changed.length,
    unpriced: drafts.flatMap(listUnpriced),
  }
}

function maxDate(date: string, other: string): string {
  return date < other ? other : date
}

async function lockOrdersToReprice(
  call: WriteCall,
  contract: Contract,
  communityId: string | null,
): Promise<openOrders.OpenOrder[]> {
  const open = await openOrders.lockOpenOrders(call, contract, communityId, MAX_ORDERS + 1)
  const lines = open.reduce((sum, { lineCount }) => sum + lineCount, 0)
  if (open.length <= MAX_ORDERS && lines <= MAX_LINES) return open
  throw conflict(
    'limit_reached',
    `The vendor has more than ${formatNumber(MAX_ORDERS)} open orders or ${formatNumber(MAX_LINES)} open lines. Limit the repricing with communityId.`,
  )
}

async function compareOrders(
  call: WriteCall,
  { vendorId, id: contractId }: Contract,
  open: readonly openOrders.OpenOrder[],
  on: string,
): Promise<ComparedOrder[]> {
  const found = await orders.findAll(
    call,
    open.map(({ id }) => id),
  )
  const places = new Map(open.map((place) => [place.id, place]))
  const needed = found.flatMap((order) => {
    const { communityId = '', planId = null } = places.get(order.id) ?? {}
    return order.lines.flatMap(({ lineId, partId, quantity }) =>
      partId === null ? [] : [{ orderId: order.id, lineId, partId, quantity, communityId, planId }],
    )
  })
  const offers = await findVendorOffers(call, needed, { vendorId, contractId, on })
  const byOrder = Map.groupBy(
    needed.flatMap(({ orderId, lineId }, i) =>
      offers[i] === undefined ? [] : [{ orderId, lineId, offer: offers[i] }],
    ),
    ({ orderId }) => orderId,
  )
  return found.map((order) => {
    const own = new Map((byOrder.get(order.id) ?? []).map(({ lineId, offer }) => [lineId, offer]))
    return { order, after: applyOffers(order, own, contractId), offers: own }
  })
}

/** Returns the order with the new prices, including its totals. */
function applyOffers(order: PurchaseOrder, offers: ReadonlyMap<string, PriceOffer>, contractId: string): PurchaseOrder {
  const lines = order.lines.map((line) => {
    const offer = offers.get(line.lineId)
    if (offer?.issue !== null) return line
    return { ...line, unitPrice: offer.unitPrice, priceId: offer.priceId }
  })
  try {
    // An order without a contract remains without a contract.
    const source = order.contractId === null ? null : contractId
    return { ...order, ...calculateOrderTotals(lines, order.currency), contractId: source }
  } catch (error) {
    if (error instanceof Problem) throw tooManyLines(order)
    throw error
  }
}

function assertValidTotals(order: PurchaseOrder): void {
  if (findOrderErrors(order).length > 0) throw tooManyLines(order)
}

function tooManyLines({ number }: PurchaseOrder): Problem {
  return conflict('too_large', `Cannot reprice ${number}: its new total is not allowed for an order of its type.`)
}

function hasNewPrices(
  before: PurchaseOrder,
  after: PurchaseOrder,
  fields: readonly ('unitPrice' | 'priceId')[],
): boolean {
  return after.lines.some((line, i) => fields.some((field) => line[field] !== before.lines[i]?.[field]))
}

function toRepricedOrder({
  order: { id, number, status, total },
  after,
}: ComparedOrder): Repricing['repriced'][number] {
  return { orderId: id, number, status, before: total, after: after.total }
}

function listUnpriced({ order, offers }: ComparedOrder): Repricing['unpriced'] {
  return order.lines.flatMap(({ lineId, partId, quantity }) => {
    const issue = offers.get(lineId)?.issue ?? null
    return partId === null || issue === null
      ? []
      : [{ orderId: order.id, number: order.number, lineId, partId, quantity, issue }]
  })
}
