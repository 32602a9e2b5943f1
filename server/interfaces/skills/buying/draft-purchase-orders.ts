import { sql } from 'kysely'
import type {
  DraftedOrder,
  DraftPurchaseOrdersInput,
  DraftPurchaseOrdersResult,
} from '../../../../client/contract.gen.ts'
import { computeCosting } from '../../../domain/costs/budgets/costing.ts'
import { findActiveSelections } from '../../../domain/costs/budgets/selection-queries.ts'
import * as communities from '../../../domain/land/communities/queries.ts'
import * as homes from '../../../domain/land/homes/queries.ts'
import { NO_TRADE } from '../../../domain/ledger/no-trade.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { sum } from '../../../platform/values/money.ts'
import { runWithPointer } from '../frame/attempt-task.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { bundleLines, type OrderBundle } from './order-bundles.ts'

/** The maximum number of orders. Numbering them locks the home, and other transactions wait for this lock. */
const MAX_ORDERS = 50
const MAX_LISTED = 200

/**
 * Drafts orders for all lines that today's estimate of the home contains, so that orders and budget match. Skips trades
 * that already have an order, because it is unknown which of their lines still have to be ordered.
 */
export async function draftPurchaseOrders(
  { homeId, scopes }: DraftPurchaseOrdersInput,
  call: Call,
): Promise<DraftPurchaseOrdersResult> {
  const [{ home: name }, home, selected] = await Promise.all([
    findHomeOverview(call, homeId),
    homes.find(call, homeId),
    findActiveSelections(call, homeId),
  ])
  if (home.planId === null)
    throw conflict('missing_data', `Cannot draft purchase orders: ${home.name} has no plan. Set its plan first.`)
  const { timeZone } = await communities.find(call, home.communityId)
  const of = new Set(selected.map(({ id }) => id))
  const on = toLocalDate(timeZone, call.now)
  const { base, selections } = await computeCosting(call, home, { on, base: true, selected, of, also: [] })
  const isWanted = createScopeFilter(scopes)
  const unpriced = [...base.unpriced, ...selections.flatMap((each) => each.unpriced)].filter(({ scope }) =>
    isWanted(scope ?? NO_TRADE),
  )
  const lines = [...base.lines, ...selections.flatMap((each) => each.lines)].filter(({ scope }) => isWanted(scope))
  const bundles = bundleLines(
    lines,
    await findVendorsOfPrices(
      call,
      lines.flatMap(({ priceId }) => priceId ?? []),
    ),
  )
  const bought = await findBoughtTrades(call, homeId)
  const orders: DraftedOrder[] = []
  const skipped: DraftPurchaseOrdersResult['skipped'] = []
  for (const bundle of bundles) {
    const { scope } = bundle
    const reason = findSkipReason(bundle, bought) ?? (orders.length < MAX_ORDERS ? null : 'too_many')
    if (reason === null) orders.push(await draftOrder(call, homeId, bundle))
    else if (!skipped.some((other) => other.scope === scope && other.reason === reason)) skipped.push({ scope, reason })
  }
  const found = new Set([...lines, ...unpriced].map(({ scope }) => (scope ?? NO_TRADE).toLowerCase()))
  for (const scope of scopes ?? [])
    if (!found.has(scope.toLowerCase())) skipped.push({ scope, reason: 'not_in_takeoff' })
  return {
    ...{ homeId, home: name, orders, skipped: skipped.slice(0, MAX_LISTED) },
    ...{ unpriced: unpriced.slice(0, MAX_LISTED), unpricedCount: unpriced.length },
    total: sum(orders.map(({ total }) => total)),
    currency: call.currency,
  }
}

function createScopeFilter(scopes: readonly string[] | undefined): (scope: string) => boolean {
  const requested = scopes === undefined ? null : new Set(scopes.map((scope) => scope.toLowerCase()))
  return (scope) => requested === null || requested.has(scope.toLowerCase())
}

type SkipReason = DraftPurchaseOrdersResult['skipped'][number]['reason']

function findSkipReason({ scope, optionSelectionId }: OrderBundle, bought: ReadonlySet<string>): SkipReason | null {
  if (scope === NO_TRADE) return 'no_trade'
  return bought.has(bundleKey(scope, optionSelectionId)) ? 'ordered' : null
}

function bundleKey(scope: string, optionSelectionId: string | null): string {
  return `${optionSelectionId ?? ''} ${scope.toLowerCase()}`
}

async function draftOrder(call: Call, homeId: string, bundle: OrderBundle): Promise<DraftedOrder> {
  const { scope, vendorId, contractId, optionSelectionId, lines } = bundle
  const of = optionSelectionId === null ? {} : { optionSelectionId, poType: 'option' }
  const requested = contractId === null ? { vendorId, scope, lines } : { contractId }
  const order = await runWithPointer('/homeId', () =>
    call.operation('createPurchaseOrder', { homeId, ...of, ...requested }),
  )
  const { companyName } = await call.operation('getVendor', { vendorId: order.vendorId })
  return {
    ...{ poId: order.id, number: order.number, vendorId: order.vendorId, vendor: companyName },
    ...{ scope: order.scope, optionSelectionId: order.optionSelectionId, contractId: order.contractId },
    ...{ lines: order.lines.length, total: order.total },
  }
}

/** Returns the vendor of each price. */
async function findVendorsOfPrices(
  { db, organizationId }: Call,
  priceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; vendorId: string }>`
    select "id", "vendorId" from "prices"
    where "organizationId" = ${organizationId} and "id" = any(${[...new Set(priceIds)]}::text[])`.execute(db)
  return new Map(rows.map(({ id, vendorId }) => [id, vendorId]))
}

/** Returns the trades that already have an active order, separately for the base home and for each selection. */
async function findBoughtTrades({ db, organizationId }: Call, homeId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ scope: string; optionSelectionId: string | null }>`
    select distinct "scope", "optionSelectionId" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" not in ('declined', 'void')
      and "poType" in ('base', 'option')`.execute(db)
  return new Set(rows.map(({ scope, optionSelectionId }) => bundleKey(scope, optionSelectionId)))
}
