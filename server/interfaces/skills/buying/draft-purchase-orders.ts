import { sql } from 'kysely'
import type {
  DraftedOrder,
  DraftPurchaseOrdersInput,
  DraftPurchaseOrdersResult,
} from '../../../../client/contract.gen.ts'
import { costing } from '../../../domain/costs/budgets/costing.ts'
import { NO_TRADE } from '../../../domain/costs/budgets/no-trade.ts'
import { standingOf } from '../../../domain/costs/budgets/selection-queries.ts'
import * as communities from '../../../domain/land/communities/queries.ts'
import * as homes from '../../../domain/land/homes/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { sum } from '../../../platform/values/money.ts'
import { placed } from '../frame/attempt.ts'
import { homeNamed } from '../frame/home.ts'
import { type Bundle, bundlesOf } from './bundles.ts'

/** As many orders as one transaction can number while others wait for the home. */
const MOST_ORDERS = 50
const MOST_LISTED = 200

/**
 * Orders what the home's estimate would budget today, so that orders and budget agree. A trade that has an order is
 * skipped as a whole, because it is unknown which of its lines remain to be ordered.
 */
export async function draftPurchaseOrders(
  { homeId, scopes }: DraftPurchaseOrdersInput,
  call: Call,
): Promise<DraftPurchaseOrdersResult> {
  const [{ home: name }, home, selected] = await Promise.all([
    homeNamed(call, homeId),
    homes.find(call, homeId),
    standingOf(call, homeId),
  ])
  if (home.planId === null)
    throw conflict('missing_data', `Cannot draft purchase orders: ${home.name} has no plan. Set its plan first.`)
  const { timeZone } = await communities.find(call, home.communityId)
  const of = new Set(selected.map(({ id }) => id))
  const on = dateIn(timeZone, call.now)
  const { base, selections } = await costing(call, home, { on, base: true, selected, of, also: [] })
  const isWanted = wantedBy(scopes)
  const unpriced = [...base.unpriced, ...selections.flatMap((each) => each.unpriced)].filter(({ scope }) =>
    isWanted(scope ?? NO_TRADE),
  )
  const lines = [...base.lines, ...selections.flatMap((each) => each.lines)].filter(({ scope }) => isWanted(scope))
  const bundles = bundlesOf(
    lines,
    await vendorsOf(
      call,
      lines.flatMap(({ priceId }) => priceId ?? []),
    ),
  )
  const bought = await boughtFor(call, homeId)
  const orders: DraftedOrder[] = []
  const skipped: DraftPurchaseOrdersResult['skipped'] = []
  for (const bundle of bundles) {
    const { scope } = bundle
    const reason = reasonToLeaveOut(bundle, bought) ?? (orders.length < MOST_ORDERS ? null : 'too_many')
    if (reason === null) orders.push(await drafted(call, homeId, bundle))
    else if (!skipped.some((other) => other.scope === scope && other.reason === reason)) skipped.push({ scope, reason })
  }
  const found = new Set([...lines, ...unpriced].map(({ scope }) => (scope ?? NO_TRADE).toLowerCase()))
  for (const scope of scopes ?? [])
    if (!found.has(scope.toLowerCase())) skipped.push({ scope, reason: 'not_in_takeoff' })
  return {
    ...{ homeId, home: name, orders, skipped: skipped.slice(0, MOST_LISTED) },
    ...{ unpriced: unpriced.slice(0, MOST_LISTED), unpricedCount: unpriced.length },
    total: sum(orders.map(({ total }) => total)),
    currency: call.currency,
  }
}

function wantedBy(scopes: readonly string[] | undefined): (scope: string) => boolean {
  const wanted = scopes === undefined ? null : new Set(scopes.map((scope) => scope.toLowerCase()))
  return (scope) => wanted === null || wanted.has(scope.toLowerCase())
}

type Reason = DraftPurchaseOrdersResult['skipped'][number]['reason']

function reasonToLeaveOut({ scope, optionSelectionId }: Bundle, bought: ReadonlySet<string>): Reason | null {
  if (scope === NO_TRADE) return 'no_trade'
  return bought.has(keyOf(scope, optionSelectionId)) ? 'ordered' : null
}

function keyOf(scope: string, optionSelectionId: string | null): string {
  return `${optionSelectionId ?? ''} ${scope.toLowerCase()}`
}

async function drafted(call: Call, homeId: string, bundle: Bundle): Promise<DraftedOrder> {
  const { scope, vendorId, contractId, optionSelectionId, lines } = bundle
  const of = optionSelectionId === null ? {} : { optionSelectionId, poType: 'option' }
  const wanted = contractId === null ? { vendorId, scope, lines } : { contractId }
  const order = await placed('/homeId', () => call.operation('createPurchaseOrder', { homeId, ...of, ...wanted }))
  const { companyName } = await call.operation('getVendor', { vendorId: order.vendorId })
  return {
    ...{ purchaseOrderId: order.id, number: order.number, vendorId: order.vendorId, vendor: companyName },
    ...{ scope: order.scope, optionSelectionId: order.optionSelectionId, contractId: order.contractId },
    ...{ lines: order.lines.length, total: order.total },
  }
}

/** Returns the vendor of each price. */
async function vendorsOf(
  { db, organizationId }: Call,
  priceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; vendorId: string }>`
    select "id", "vendorId" from "prices"
    where "organizationId" = ${organizationId} and "id" = any(${[...new Set(priceIds)]}::text[])`.execute(db)
  return new Map(rows.map(({ id, vendorId }) => [id, vendorId]))
}

/** Returns the trades of the base house, and of each selection, that have an active order. */
async function boughtFor({ db, organizationId }: Call, homeId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ scope: string; optionSelectionId: string | null }>`
    select distinct "scope", "optionSelectionId" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" not in ('declined', 'void')
      and "poType" in ('base', 'option')`.execute(db)
  return new Set(rows.map(({ scope, optionSelectionId }) => keyOf(scope, optionSelectionId)))
}
