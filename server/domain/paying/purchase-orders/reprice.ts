import type { Contract, PurchaseOrder, Repricing } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { describeStatus, formatNumber } from '../../../platform/values/format.ts'
import { lockContract } from '../../bidding/contracts/changes.ts'
import { type Offer, offersOf } from '../../costs/prices/of-vendor.ts'
import { orderFaults } from './purchase-order.ts'
import * as orders from './queries.ts'
import * as openOrders from './reprice-queries.ts'
import { totalled } from './totals.ts'

/** The limits of one request, so that neither its locks nor its response grow with the builder. */
const MOST_ORDERS = 500
const MOST_LINES = 5000

interface Compared {
  order: PurchaseOrder
  after: PurchaseOrder
  /** The vendor's price of each line with a part, by line ID. */
  offers: ReadonlyMap<string, Offer>
}

/**
 * Updates the vendor's open orders to its prices on a date, the contract's first. The number of statements does not
 * depend on the number of orders. Locks are taken in this order: the contract, then the orders by their IDs.
 */
export async function reprice(
  call: WriteCall,
  contractId: string,
  asked: Input<'repriceOpenPurchaseOrders'>['body'],
): Promise<Repricing> {
  const contract = await lockContract(call, contractId)
  if (contract.status !== 'active')
    throw conflict(
      'contract_not_active',
      `Cannot reprice the orders of ${contract.number}: it is ${describeStatus(contract.status)}.`,
    )
  const { effectiveDate: on = later(dateIn(call.timeZone, call.now), contract.effectiveDate) } = asked
  const compared = await compare(call, contract, await openOf(call, contract, asked.communityId ?? null), on)
  const drafts = compared.filter(({ order }) => order.status === 'draft')
  const changed = drafts.filter(({ order, after }) => isRepriced(order, after, ['unitPrice', 'priceId']))
  for (const { after } of changed) assertOrderable(after)
  await openOrders.rewrite(
    call,
    changed.map(({ after }) => after),
  )
  const reported = compared.filter(
    ({ order, after }) => order.status !== 'draft' && isRepriced(order, after, ['unitPrice']),
  )
  return {
    ...{ contractId, effectiveDate: on, repriced: changed.map(told), reported: reported.map(told) },
    unchanged: drafts.length - changed.length,
    unpriced: drafts.flatMap(unpricedOf),
  }
}

function later(date: string, other: string): string {
  return date < other ? other : date
}

async function openOf(call: WriteCall, contract: Contract, communityId: string | null): Promise<openOrders.Open[]> {
  const open = await openOrders.lockOpen(call, contract, communityId, MOST_ORDERS + 1)
  const lines = open.reduce((sum, { lineCount }) => sum + lineCount, 0)
  if (open.length <= MOST_ORDERS && lines <= MOST_LINES) return open
  throw conflict(
    'limit_reached',
    `The vendor has more than ${formatNumber(MOST_ORDERS)} open orders or ${formatNumber(MOST_LINES)} open lines. Limit the repricing with communityId.`,
  )
}

async function compare(
  call: WriteCall,
  { vendorId, id: contractId }: Contract,
  open: readonly openOrders.Open[],
  on: string,
): Promise<Compared[]> {
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
  const offers = await offersOf(call, needed, { vendorId, contractId, on })
  const byOrder = Map.groupBy(
    needed.flatMap(({ orderId, lineId }, i) =>
      offers[i] === undefined ? [] : [{ orderId, lineId, offer: offers[i] }],
    ),
    ({ orderId }) => orderId,
  )
  return found.map((order) => {
    const own = new Map((byOrder.get(order.id) ?? []).map(({ lineId, offer }) => [lineId, offer]))
    return { order, after: atOffers(order, own, contractId), offers: own }
  })
}

/** Returns the order with the new prices, including its totals. */
function atOffers(order: PurchaseOrder, offers: ReadonlyMap<string, Offer>, contractId: string): PurchaseOrder {
  const lines = order.lines.map((line) => {
    const offer = offers.get(line.lineId)
    if (offer?.issue !== null) return line
    return { ...line, unitPrice: offer.unitPrice, priceId: offer.priceId }
  })
  try {
    // Only an order from an earlier revision becomes one of the contract.
    const source = order.contractId === null ? null : contractId
    return { ...order, ...totalled(lines, order.currency), contractId: source }
  } catch (error) {
    if (error instanceof Problem) throw tooMuch(order)
    throw error
  }
}

function assertOrderable(order: PurchaseOrder): void {
  if (orderFaults(order).length > 0) throw tooMuch(order)
}

function tooMuch({ number }: PurchaseOrder): Problem {
  return conflict('too_large', `Cannot reprice ${number}: its new total is not allowed for an order of its type.`)
}

function isRepriced(
  before: PurchaseOrder,
  after: PurchaseOrder,
  fields: readonly ('unitPrice' | 'priceId')[],
): boolean {
  return after.lines.some((line, i) => fields.some((field) => line[field] !== before.lines[i]?.[field]))
}

function told({ order: { id, number, status, total }, after }: Compared): Repricing['repriced'][number] {
  return { orderId: id, number, status, before: total, after: after.total }
}

function unpricedOf({ order, offers }: Compared): Repricing['unpriced'] {
  return order.lines.flatMap(({ lineId, partId, quantity }) => {
    const issue = offers.get(lineId)?.issue ?? null
    return partId === null || issue === null
      ? []
      : [{ orderId: order.id, number: order.number, lineId, partId, quantity, issue }]
  })
}
