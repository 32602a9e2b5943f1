import type { BidRequest, FieldError, Home, PurchaseOrder, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { isLineAwarded } from '../../bidding/bids/bid.ts'
import type { BidRow } from '../../bidding/bids/queries.ts'
import * as budgetLines from '../../costs/budgets/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { priceLines } from './line-prices.ts'
import { assignCostCodes } from './posting.ts'
import {
  defaultRetainage,
  explainNotOrderable,
  findNoPaymentErrors,
  findOrderErrors,
  findVarianceErrors,
  formatOrderNumber,
  NO_APPROVAL,
  numberPrefixOfLot,
  numberPrefixOfPosition,
} from './purchase-order.ts'
import * as orders from './queries.ts'
import { calculateTotals } from './totals.ts'

/** The data of a new order, with its home and vendor resolved. */
export interface OrderDraft
  extends Omit<Checked['PurchaseOrderCreate'], 'homeId' | 'vendorId' | 'scope' | 'lines'>,
    Pick<PurchaseOrder, 'scope'> {
  home: Home
  vendor: Vendor
  lines: readonly Checked['PurchaseOrderLineInput'][]
  /** Read here unless the caller passes them. */
  grounds?: OrderBasis | undefined
}

/** Data that determines the number of an order and the cost codes of its lines. */
export interface OrderBasis {
  /** The trade in the organization's spelling. */
  spelled: string
  /** The trade's default cost code. */
  costCodeId: string | null
  /** The last order number of the home. */
  last: Awaited<ReturnType<typeof orders.findLastNumber>>
}

/**
 * Returns what a new order of the home depends on. The home must be locked, so that its last number does not change.
 */
export async function readOrderBasis(
  call: WriteCall,
  homeId: string,
  scope: string,
  createScopes: boolean | undefined,
): Promise<OrderBasis> {
  const trade = await scopes.findByName(call, scope)
  const last = await orders.findLastNumber(call, homeId)
  const spelled = trade?.name ?? (await scopes.requireTrade(call, scope, createScopes))
  return { spelled, costCodeId: trade?.defaultCostCodeId ?? null, last }
}

/**
 * Stores a draft order from any source and returns it. The caller records its event. The home's row must be locked,
 * which keeps its order numbers consecutive.
 */
export async function draftOrder(call: WriteCall, requested: OrderDraft): Promise<PurchaseOrder> {
  const { home, vendor, lines: asked, grounds, ...rest } = requested
  const { retainagePercent = defaultRetainage(rest, vendor), noPayment = false, scope } = rest
  const priced = await priceLines(call, asked, { home, vendorId: vendor.id, contractId: rest.contractId ?? null })
  // The trade of a bid or a contract exists, or did once.
  const { spelled, costCodeId, last } = grounds ?? (await readOrderBasis(call, home.id, scope, true))
  const { lines, ...sums } = calculateTotals(await assignCostCodes(call, priced, costCodeId), call.currency)
  const order = {
    ...rest,
    homeId: home.id,
    vendorId: vendor.id,
    status: 'draft' as const,
    ...sums,
    ...{ completedAmount: 0, retainedAmount: 0, releasedAmount: 0, paidAmount: 0, reservedAmount: 0 },
    currency: call.currency,
    retainagePercent,
    noPayment,
    approval: NO_APPROVAL,
  }
  const errors = [
    ...findOrderErrors(order),
    ...findNoPaymentErrors(order, lines),
    ...findVarianceErrors(order),
    ...(await findBudgetLineErrors(call, order, lines)),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  const reason = explainNotOrderable(home)
  if (reason !== null) throw conflict('home_not_open', `Cannot create a purchase order. ${reason}`)
  if (vendor.archivedAt !== null)
    throw conflict('vendor_archived', `Cannot create a purchase order: ${vendor.companyName} is archived.`)

  const number =
    last === undefined ? await chooseFirstNumber(call, home) : formatOrderNumber(last.prefix, last.sequence + 1)
  const created = orders.make(call, { ...order, scope: spelled, number })
  await recordStatusChange(call, { id: created.id, from: null, to: created.status })
  await orders.insert(call, created, lines)
  return orders.toDraftOrder(created, lines)
}

/** Drafts the order of an accepted bid: line by line, or the lump sum as one line. */
export function draftOrderFromBid(
  call: WriteCall,
  { home, vendor, bid, request }: { home: Home; vendor: Vendor; bid: BidRow; request: Pick<BidRequest, 'number'> },
): Promise<PurchaseOrder> {
  const lines = toOrderLines(bid, request)
  return draftOrder(call, { home, vendor, scope: bid.scope, poType: 'base', bidId: bid.id, lines })
}

export function toOrderLines(bid: BidRow, request: Pick<BidRequest, 'number'>): Checked['PurchaseOrderLineInput'][] {
  if (bid.lines.length === 0) {
    return [
      {
        description: `${bid.scope}, as bid on ${request.number}`,
        quantity: 1,
        unit: 'LS',
        unitPrice: bid.amount,
        taxPercent: 0,
      },
    ]
  }
  return bid.lines
    .filter((line) => isLineAwarded(bid, line.lineId))
    .map(({ lineId, description, quantity, unit, unitPrice }) => ({
      lineId,
      description,
      quantity,
      unit,
      unitPrice: unitPrice ?? 0,
      taxPercent: 0,
    }))
}

/** Returns errors for budget lines that are not of this home and trade or were removed. */
export async function findBudgetLineErrors(
  call: WriteCall,
  order: Pick<PurchaseOrder, 'homeId' | 'scope'>,
  lines: readonly Pick<PurchaseOrder['lines'][number], 'budgetLineId'>[],
): Promise<FieldError[]> {
  const ids = [...new Set(lines.flatMap((line) => line.budgetLineId ?? []))]
  if (ids.length === 0) return []
  const known = new Map((await budgetLines.findAll(call, ids)).map((line) => [line.id, line]))
  const named = lines.flatMap(({ budgetLineId }, i) =>
    budgetLineId == null ? [] : [{ pointer: `/lines/${i}/budgetLineId`, budgetLineId }],
  )
  const unknown = named.filter(({ budgetLineId }) => !known.has(budgetLineId))
  if (unknown.length > 0) throw unknownReference(unknown.map(({ pointer }) => pointer))
  return named.flatMap(({ pointer, budgetLineId }): FieldError[] => {
    const line = known.get(budgetLineId)
    if (line?.homeId !== order.homeId)
      return [{ pointer, code: 'other_home', message: 'must be in the budget of the same home' }]
    if (line.archivedAt !== null) return [{ pointer, code: 'archived', message: 'has been removed from the budget' }]
    if (line.scope.toLowerCase() === order.scope.toLowerCase()) return []
    return [
      { pointer, code: 'other_scope', message: `must be a line of ${order.scope}; it is a line of ${line.scope}` },
    ]
  })
}

// A home keeps its number prefix, even if its lot is renamed.
async function chooseFirstNumber(call: WriteCall, home: Home): Promise<string> {
  const prefix =
    numberPrefixOfLot(home.lotNumber) ?? numberPrefixOfPosition(await orders.findHomePosition(call, home.id))
  return formatOrderNumber(prefix, 1)
}
