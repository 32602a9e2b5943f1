import type { BidRequest, FieldError, Home, PurchaseOrder, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { truncateText } from '../../../platform/values/placeholders.ts'
import { isLineAwarded } from '../../bidding/bids/bid.ts'
import type { BidRow } from '../../bidding/bids/queries.ts'
import * as budgetLines from '../../costs/budgets/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { findRootOrder, findSharedTermErrors, getSharedTerms } from './binding.ts'
import { priceLines } from './line-prices.ts'
import { assignCostCodes } from './posting.ts'
import {
  explainWhyHomeAcceptsNoOrders,
  findNoPaymentErrors,
  findOrderErrors,
  findVarianceErrors,
  formatOrderNumber,
  getDefaultRetainage,
  NO_APPROVAL,
  toLotOrderPrefix,
  toMigratedNumber,
  toPositionOrderPrefix,
} from './purchase-order.ts'
import * as orders from './queries.ts'
import { assertMilestonesExist } from './retainage-terms.ts'
import { calculateOrderTotals } from './totals.ts'

/** The data of a new order. The home and the vendor have already been read. */
export interface OrderDraft
  extends Omit<Checked['PurchaseOrderCreate'], 'homeId' | 'vendorId' | 'scope' | 'lines' | 'billingMethod'>,
    Pick<PurchaseOrder, 'scope'> {
  home: Home
  vendor: Vendor
  lines: readonly Checked['PurchaseOrderLineInput'][]
  billingMethod?: PurchaseOrder['billingMethod']
  /** The basis of the order, if the caller has already read it. Otherwise, `draftOrder` reads it. */
  grounds?: OrderBasis | undefined
}

/** The data that determines the number of an order and the cost codes of its lines. */
export interface OrderBasis {
  /** The name of the trade as the organization spells it. */
  spelled: string
  /** The trade's default cost code. */
  costCodeId: string | null
  /** The last order number of the home. */
  last: Awaited<ReturnType<typeof orders.findLastOrderNumber>>
}

/**
 * Returns the data on which a new order of the home depends. The caller must have locked the home, so that its last
 * order number does not change.
 */
export async function readOrderBasis(
  call: WriteCall,
  homeId: string,
  scope: string,
  createScopes: boolean | undefined,
): Promise<OrderBasis> {
  const trade = await scopes.findTradeByName(call, scope)
  const last = await orders.findLastOrderNumber(call, homeId)
  const spelled = trade?.name ?? (await scopes.requireTrade(call, scope, createScopes))
  return { spelled, costCodeId: trade?.defaultCostCodeId ?? null, last }
}

/**
 * Stores a draft order from any source, and returns it. The caller must record the event of the order. The caller must
 * have locked the home's row, so that the home's order numbers are consecutive.
 */
export async function draftOrder(call: WriteCall, requested: OrderDraft): Promise<PurchaseOrder> {
  const { home, vendor, lines: asked, grounds, migration, ...rest } = requested
  const { noPayment = false, billingMethod = 'on_completion', scope } = rest
  const root = await findRootOrder(call, { ...rest, vendorId: vendor.id, homeId: home.id })
  const { retainagePercent = getDefaultRetainage(rest, vendor), retainageSteps = [] } = rest
  const { retainageMaxPercent = null, storedRetainagePercent = null } = rest
  const terms = root ?? { retainagePercent, retainageSteps, retainageMaxPercent, storedRetainagePercent }
  await assertMilestonesExist(call, home.id, retainageSteps)
  const priced = await priceLines(call, asked, { home, vendorId: vendor.id, contractId: rest.contractId ?? null })
  // Allow archived trades, because the trade of a bid or contract may have been archived in the meantime.
  const { spelled, costCodeId, last } = grounds ?? (await readOrderBasis(call, home.id, scope, true))
  const { lines, ...sums } = calculateOrderTotals(await assignCostCodes(call, priced, costCodeId), call.currency)
  const order = {
    ...rest,
    homeId: home.id,
    vendorId: vendor.id,
    status: 'draft' as const,
    ...sums,
    ...{ completedAmount: 0, storedAmount: 0, billedAmount: 0, retainedAmount: 0, releasedAmount: 0 },
    ...{ releasingAmount: 0, paidAmount: 0, reservedAmount: 0 },
    currency: call.currency,
    rootPoId: root?.id ?? null,
    ...getSharedTerms(terms),
    ...{ billingMethod, noPayment },
    migrated: migration !== undefined,
    approval: NO_APPROVAL,
    drawings: [],
  }
  const errors = [
    ...findOrderErrors(order),
    ...findNoPaymentErrors(order, lines),
    ...findVarianceErrors(order),
    ...findSharedTermErrors(root, rest),
    ...(await findBudgetLineErrors(call, order, lines)),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  const reason = explainWhyHomeAcceptsNoOrders(home)
  if (reason !== null) throw conflict('home_not_open', `Cannot create a purchase order. ${reason}`)
  if (vendor.archivedAt !== null)
    throw conflict('vendor_archived', `Cannot create a purchase order: ${vendor.companyName} is archived.`)

  const next = await chooseNextNumber(call, home, last)
  const number = migration === undefined ? next : toMigratedNumber(migration.number, next)
  const created = orders.make(call, { ...order, scope: spelled, number })
  await recordStatusChange(call, { id: created.id, from: null, to: created.status })
  await orders.insert(call, created, lines)
  return orders.toDraftOrder(created, lines)
}

/**
 * Drafts the order for an accepted bid. The order contains the awarded lines of the bid, or its lump sum as a single
 * line, and one line for each awarded alternate.
 */
export function draftOrderFromBid(
  call: WriteCall,
  { home, vendor, bid, request }: { home: Home; vendor: Vendor; bid: BidRow; request: Pick<BidRequest, 'number'> },
): Promise<PurchaseOrder> {
  const lines = toOrderLines(bid, request)
  return draftOrder(call, { home, vendor, scope: bid.scope, poType: 'base', bidId: bid.id, lines })
}

export function toOrderLines(bid: BidRow, request: Pick<BidRequest, 'number'>): Checked['PurchaseOrderLineInput'][] {
  return [...toBaseLines(bid, request), ...toAlternateLines(bid)]
}

const MAX_DESCRIPTION = 500

/** A deduction has a negative amount. */
function toAlternateLines({ lines, alternates, awardedAlternates }: BidRow): Checked['PurchaseOrderLineInput'][] {
  const taken = new Set(lines.map(({ lineId }) => lineId))
  return (awardedAlternates ?? []).flatMap((position) => {
    const alternate = alternates[position]
    if (alternate === undefined) return []
    const { description, amount } = alternate
    const effect = (amount ?? 0) < 0 ? 'deduct' : 'add'
    const lineId = `alternate-${position + 1}`
    return {
      // Omit the ID if a line of the bid already has it. The line then receives an ID according to its position.
      ...(!taken.has(lineId) && { lineId }),
      description: truncateText(`Alternate (${effect}): ${description}`, MAX_DESCRIPTION),
      ...{ quantity: 1, unit: 'LS', unitPrice: amount ?? 0, taxPercent: 0 },
    }
  })
}

function toBaseLines(bid: BidRow, request: Pick<BidRequest, 'number'>): Checked['PurchaseOrderLineInput'][] {
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

/** Returns errors for budget lines that were removed, or that belong to another home or trade. */
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

/**
 * Returns the next order number that is not in use in the home. A home keeps its number prefix, even if its lot is
 * renumbered. An imported order can already have a number with this prefix if it was imported before the home had a
 * lot.
 */
async function chooseNextNumber(call: WriteCall, home: Home, last: OrderBasis['last']): Promise<string> {
  const prefix =
    last?.prefix ??
    toLotOrderPrefix(home.lotNumber) ??
    toPositionOrderPrefix(await orders.findHomePosition(call, home.id))
  const migrated = await orders.findMigratedNumbers(call, home.id)
  let sequence = (last?.sequence ?? 0) + 1
  while (migrated.has(formatOrderNumber(prefix, sequence))) sequence++
  return formatOrderNumber(prefix, sequence)
}
