import type { BillLine, BillMatch, FieldError, PurchaseOrder, Vendor } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import * as costCodes from '../../costs/cost-codes/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { divideOverLines, loadUnbilledAmounts } from '../bill-records/divide-over-lines.ts'
import { computeWithholding, divideRetainage, type OwnShare } from '../bill-records/retainage.ts'
import * as orders from '../purchase-orders/queries.ts'
import { getLineRetainagePercents, loadRetainageTerms } from '../purchase-orders/retainage-terms.ts'
import { getSignOfWhole, getWholes, sumOverWhole, type Whole } from '../purchase-orders/whole.ts'

type LineInput = Checked['BillLineInput']

/** Returns the lines of a bill without retainage. Copies omitted fields from the orders. */
export async function resolveBillLines(
  call: WriteCall,
  vendor: Pick<Vendor, 'id'>,
  inputs: readonly LineInput[],
): Promise<BillLine[]> {
  const named = await orders.findAll(call, [...new Set(inputs.flatMap(({ poId }) => poId ?? []))].sort())
  const byId = new Map(named.map((order) => [order.id, order]))
  const homeIds = [...new Set(inputs.flatMap(({ homeId }) => homeId ?? []))]
  const codeIds = [...new Set(inputs.flatMap(({ costCodeId }) => costCodeId ?? []))]
  const knownHomes = new Set((await homes.findAll(call, homeIds)).map(({ id }) => id))
  const knownCodes = new Set((await costCodes.findAll(call, codeIds)).map(({ id }) => id))
  const unknown = inputs.flatMap(({ poId, poLineId, homeId, costCodeId }, i) => {
    const order = poId == null ? undefined : byId.get(poId)
    const isLine = poLineId == null || order === undefined || order.lines.some(({ lineId }) => lineId === poLineId)
    return [
      ...(poId != null && order === undefined ? [`/lines/${i}/poId`] : []),
      ...(isLine ? [] : [`/lines/${i}/poLineId`]),
      ...(homeId != null && !knownHomes.has(homeId) ? [`/lines/${i}/homeId`] : []),
      ...(costCodeId != null && !knownCodes.has(costCodeId) ? [`/lines/${i}/costCodeId`] : []),
    ]
  })
  if (unknown.length > 0) throw unknownReference(unknown)
  const errors = inputs.flatMap((input, i) => getFaults(input, byId.get(input.poId ?? ''), vendor, `/lines/${i}`))
  if (errors.length > 0) throw validationFailed(errors)
  return inputs.map((input, i): BillLine => {
    const order = byId.get(input.poId ?? '')
    const line = order?.lines.find(({ lineId }) => lineId === input.poLineId) ?? order?.lines[0]
    const { poId = null, poLineId = null, amount, taxAmount, reportingBox = null } = input
    return {
      ...{ lineId: `line-${i + 1}`, poId, poLineId, homeId: order?.homeId ?? input.homeId ?? '' },
      costCodeId: input.costCodeId ?? line?.costCodeId ?? null,
      description: input.description ?? line?.description ?? '',
      ...{ amount, taxAmount, retainageWithheld: 0, reportingBox },
    }
  })
}

function getFaults(
  { poId, poLineId, homeId, description }: LineInput,
  order: PurchaseOrder | undefined,
  vendor: Pick<Vendor, 'id'>,
  at: string,
): FieldError[] {
  if (poId == null) {
    const required = (field: string) => ({
      pointer: `${at}/${field}`,
      code: 'required',
      message: 'is required without poId',
    })
    return [
      ...(homeId == null ? [required('homeId')] : []),
      ...(description === undefined ? [required('description')] : []),
      ...(poLineId == null ? [] : [{ pointer: `${at}/poLineId`, code: 'unexpected', message: 'requires poId' }]),
    ]
  }
  if (order === undefined) return []
  if (order.vendorId !== vendor.id)
    return [
      { pointer: `${at}/poId`, code: 'other_vendor', message: 'must be an order to the vendor that the bill is from' },
    ]
  if (homeId != null && homeId !== order.homeId)
    return [{ pointer: `${at}/homeId`, code: 'other_home', message: 'must be the home of the order or be omitted' }]
  if (order.noPayment)
    return [
      { pointer: `${at}/poId`, code: 'not_suitable', message: 'must not be an order that is marked as noPayment' },
    ]
  return []
}

/**
 * Returns the lines with the retainage to withhold under the terms of their orders. The locked orders must include all
 * change orders (see `lockWholes`).
 */
export async function addRetainage(
  call: Tenant,
  lines: readonly BillLine[],
  wholeOrders: readonly PurchaseOrder[],
): Promise<BillLine[]> {
  const retained = new Map<BillLine, number>()
  for (const whole of getWholes(wholeOrders)) {
    const ownOf = await loadOwnParts(call, whole)
    let terms = await loadRetainageTerms(call, whole)
    let billed = sumOverWhole(whole, ({ billedAmount }) => billedAmount)
    let withheld = sumOverWhole(whole, getWithheld)
    for (const [, group] of Map.groupBy(getLinesOfWhole(lines, whole), ({ poId }) => poId)) {
      const gross = sum(group.map(({ amount }) => amount))
      const free = subtract(
        withheld,
        sumOverWhole(whole, ({ releasedAmount, releasingAmount }) => sum([releasedAmount, releasingAmount])),
      )
      const own = group.flatMap(ownOf)
      const amount = computeWithholding(terms, { billed, withheld, free }, gross, own)
      const shares = group.map((line) => {
        const [share, ...others] = ownOf(line)
        const isOwn = share !== undefined && others.length === 0 && share.amount === line.amount
        return { amount: line.amount, percent: isOwn ? share.percent : null }
      })
      const parts = divideRetainage(amount, shares, whole.root.currency)
      for (const [i, line] of group.entries()) retained.set(line, parts[i] ?? 0)
      billed = sum([billed, gross])
      withheld = sum([withheld, amount])
      terms = { ...terms, own: [...terms.own, ...own] }
    }
  }
  return lines.map((line) => ({ ...line, retainageWithheld: retained.get(line) ?? 0 }))
}

/**
 * Returns a function that returns the parts of a bill line that belong to order lines with their own retainage
 * percentage.
 */
async function loadOwnParts(call: Tenant, { root, members }: Whole): Promise<(line: BillLine) => OwnShare[]> {
  const percents = getLineRetainagePercents(members)
  if (percents.size === 0) return () => []
  const unbilled = await loadUnbilledAmounts(
    call,
    members.map(({ id }) => id),
  )
  return (line) => {
    const order = members.find(({ id }) => id === line.poId)
    if (order === undefined) return []
    // Each call receives a new copy of the unbilled amounts, because the function can be called twice for the same
    // line.
    return divideOverLines(line, order, new Map(unbilled), root.currency).flatMap(({ line: { lineId }, amount }) => {
      const percent = percents.get(`${order.id} ${lineId}`)
      return percent === undefined || amount === 0 ? [] : [{ percent, amount }]
    })
  }
}

/** Returns the retainage withheld by the approved bills of an order. */
const getWithheld = ({ retainedAmount, releasedAmount }: PurchaseOrder) => sum([retainedAmount, releasedAmount])

export function getLinesOfWhole(lines: readonly BillLine[], { members }: Whole): BillLine[] {
  const ids = new Set(members.map(({ id }) => id))
  return lines.filter(({ poId }) => poId !== null && ids.has(poId))
}

/** Returns whether the lines match the unbilled completed work of their orders. */
export function determineBillMatch(lines: readonly BillLine[], wholeOrders: readonly PurchaseOrder[]): BillMatch {
  if (lines.some(({ poId }) => poId === null)) return 'no_order'
  const isAhead = getWholes(wholeOrders).some((whole) => {
    const gross = sum(getLinesOfWhole(lines, whole).map(({ amount }) => amount))
    const sign = getSignOfWhole(whole)
    return sign * gross > Math.max(sign * sumOverWhole(whole, ({ unbilledAmount }) => unbilledAmount), 0)
  })
  return isAhead ? 'ahead_of_work' : 'matched'
}

/** Locks the orders that the lines refer to, with their change orders, and returns their current state. */
export async function lockNamedWholes(call: WriteCall, lines: readonly BillLine[]): Promise<PurchaseOrder[]> {
  const ids = await orders.findIdsOfWholes(call, [...new Set(lines.flatMap(({ poId }) => poId ?? []))])
  return orders.findAll(call, ids)
}
