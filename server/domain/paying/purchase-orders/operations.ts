import { isDeepStrictEqual } from 'node:util'
import type { Contract, FieldError, Home, PurchaseOrder, Selection, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatList } from '../../../platform/values/format.ts'
import * as bidRequests from '../../bidding/bid-requests/queries.ts'
import type { BidRow } from '../../bidding/bids/queries.ts'
import * as bids from '../../bidding/bids/queries.ts'
import * as contracts from '../../bidding/contracts/queries.ts'
import { ACTIVE_STATUSES } from '../../costs/budgets/selected-option.ts'
import * as homes from '../../land/homes/queries.ts'
import * as selections from '../../selling/selections/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { explainApproval } from './approval.ts'
import { findRootOrder, findSharedTermErrors, getSharedTerms } from './binding.ts'
import { changeOrderStatus } from './change-order-status.ts'
import { draftOrder, findBudgetLineErrors, readOrderBasis, toOrderLines } from './draft-order.ts'
import { fillOrderFromContract } from './fill-order-from-contract.ts'
import { findDuplicates } from './find-duplicates.ts'
import { findUnknownParts, priceLines } from './line-prices.ts'
import { acceptMigratedOrder } from './migrate-order.ts'
import { assignCostCodes } from './posting.ts'
import {
  ALWAYS_EDITABLE,
  explainWhyOrderCannotBeChanged,
  findNoPaymentErrors,
  findOrderErrors,
  findParentErrors,
  findVarianceErrors,
} from './purchase-order.ts'
import * as orders from './queries.ts'
import { recordOrderProgress } from './record-order-progress.ts'
import { assertMilestonesExist } from './retainage-terms.ts'
import { calculateOrderTotals } from './totals.ts'

export const purchaseOrderOperations = {
  async listPurchaseOrders({ query }, call) {
    return { status: 200, body: await orders.list(call, query) }
  },

  async createPurchaseOrder({ query, body }, call) {
    const order = await call.write(async (call) => {
      const created = await createOrder(call, body, query.createScopes)
      await recordEvent(call, 'po.created', created)
      return body.migration === undefined ? created : acceptMigratedOrder(call, created, body.migration)
    })
    return { status: 201, body: order }
  },

  async getPurchaseOrder({ path }, call) {
    return { status: 200, body: await orders.find(call, path.poId) }
  },

  async updatePurchaseOrder({ path, query, body, ifMatch }, call) {
    const provided = { body, ifMatch, createScopes: query.createScopes }
    return { status: 200, body: await call.write((call) => updateOrder(call, path.poId, provided)) }
  },

  async changePurchaseOrderStatus({ path, body }, call) {
    return { status: 200, body: await call.write((call) => changeOrderStatus(call, path.poId, body)) }
  },

  async findDuplicatePurchaseOrders({ query }, call) {
    return { status: 200, body: await findDuplicates(call, query) }
  },

  async explainPurchaseOrderApproval({ path }, call) {
    return { status: 200, body: await explainApproval(call, path.poId) }
  },

  async recordPurchaseOrderProgress({ path, body }, call) {
    return { status: 200, body: await call.write((call) => recordOrderProgress(call, path.poId, body)) }
  },
} satisfies Partial<Handlers>

async function createOrder(
  call: WriteCall,
  requested: Checked['PurchaseOrderCreate'],
  createScopes: boolean | undefined,
): Promise<PurchaseOrder> {
  const { homeId, scope: named } = requested
  const { home, vendor, bid, contract, parent } = await resolveReferences(call, requested)
  const grounds = named === undefined ? undefined : await readOrderBasis(call, homeId, named, createScopes)
  const scope = grounds?.spelled
  const body = scope === undefined ? requested : { ...requested, scope }
  const vendorId = vendor?.id ?? bid?.vendorId ?? contract?.vendorId
  if (vendorId !== undefined)
    assertParentFits({ ...body, vendorId, optionSelectionId: body.optionSelectionId ?? null }, parent)
  if (bid !== null) return createFromBid(call, { ...body, home, vendor }, bid)
  if (contract !== null) return draftOrder(call, await fillOrderFromContract(call, { ...body, home, vendor }, contract))
  const errors = (['vendorId', 'scope', 'lines'] as const).filter((field) => body[field] === undefined)
  const { lines } = body
  if (vendor === null || scope === undefined || lines === undefined) {
    throw validationFailed(
      errors.map((field) => ({ pointer: `/${field}`, code: 'required', message: 'is required unless bidId is set' })),
    )
  }
  return draftOrder(call, { ...body, home, vendor, scope, lines, grounds })
}

type BidOrderInput = Checked['PurchaseOrderCreate'] & {
  home: Awaited<ReturnType<typeof homes.lock>>
  vendor: Vendor | null
}

/**
 * Creates an order from an accepted bid. Locks the home's row and then the bid's row, so that the award cannot be
 * revoked during the transaction.
 */
async function createFromBid(call: WriteCall, requested: BidOrderInput, named: BidRow): Promise<PurchaseOrder> {
  const bid = await bids.lock(call, named.id)
  const request = await bidRequests.find(call, bid.bidRequestId)
  const { home, lines } = requested
  const errors: FieldError[] = []
  if (requested.vendorId !== undefined && requested.vendorId !== bid.vendorId) {
    errors.push({
      pointer: '/vendorId',
      code: 'other_vendor',
      message: `must be ${bid.vendorId}, the vendor of the bid, or omitted`,
    })
  }
  const homeIds = bid.homeId !== null ? [bid.homeId] : request.homeIds
  if (homeIds.length > 0 ? !homeIds.includes(home.id) : home.communityId !== bid.communityId) {
    errors.push({ pointer: '/homeId', code: 'other_home', message: 'is not covered by the bid' })
  }
  if (lines === undefined && homeIds.length > 1) {
    errors.push({
      pointer: '/lines',
      code: 'required',
      message: 'is required because the bid covers several homes together',
    })
  }
  if (errors.length > 0) throw validationFailed(errors)
  if (bid.status !== 'accepted')
    throw conflict('wrong_status', `Cannot order from the bid: it is ${bid.status}. Accept the bid first.`)
  const earlier = lines === undefined ? await orders.findActiveOrderOfBid(call, bid.id, home.id) : undefined
  if (earlier !== undefined)
    throw conflict(
      'already_ordered',
      `Cannot order from the bid: it is already ordered for ${home.name} (${earlier.number}).`,
    )

  const vendor = requested.vendor ?? (await vendors.find(call, bid.vendorId))
  const { scope = bid.scope } = requested
  const order = await draftOrder(call, { ...requested, vendor, scope, lines: lines ?? toOrderLines(bid, request) })
  await bids.bumpVersion(call, bid.id)
  return order
}

/**
 * Returns all records that the body refers to, and locks the home's row. Looks up all records before it throws, so that
 * the error lists every unknown reference.
 */
async function resolveReferences(
  call: WriteCall,
  body: Checked['PurchaseOrderCreate'],
): Promise<{
  home: Home
  vendor: Vendor | null
  bid: BidRow | null
  contract: Contract | null
  parent: PurchaseOrder | null
}> {
  const { homeId, vendorId, bidId, contractId, parentPoId, optionSelectionId, warrantyRequestId } = body
  const vendor = vendorId === undefined ? null : await vendors.findOptional(call, vendorId)
  const bid = bidId == null ? null : await bids.findOptional(call, bidId)
  const contract = contractId == null ? null : await contracts.findOptional(call, contractId)
  const parent = parentPoId == null ? null : await orders.findOptional(call, parentPoId)
  const selection = optionSelectionId == null ? null : await selections.findOptional(call, optionSelectionId)
  const isOfHome = warrantyRequestId == null || (await orders.hasWarrantyRequest(call, homeId, warrantyRequestId))
  const strange = await findUnknownParts(call, body.lines ?? [])
  const [home] = await homes.lockHomes(call, [homeId])
  const found = {
    homeId: home,
    vendorId: vendor,
    bidId: bid,
    contractId: contract,
    parentPoId: parent,
    optionSelectionId: selection,
  }
  const unknown = [
    ...Object.entries(found).flatMap(([field, one]) => (one === undefined ? [`/${field}`] : [])),
    ...(isOfHome ? [] : ['/warrantyRequestId']),
    ...strange,
  ]
  if (
    home === undefined ||
    vendor === undefined ||
    bid === undefined ||
    contract === undefined ||
    parent === undefined ||
    selection === undefined ||
    unknown.length > 0
  )
    throw unknownReference(unknown)
  assertSameHome(homeId, parent)
  assertSelectionOrderable(homeId, selection)
  if (warrantyRequestId != null && body.poType !== 'service' && body.poType !== 'backcharge')
    throw validationFailed([
      { pointer: '/warrantyRequestId', code: 'exclusive', message: 'requires poType service or backcharge' },
    ])
  if (bid !== null && contract !== null)
    throw validationFailed([{ pointer: '/contractId', code: 'unexpected', message: 'cannot be combined with bidId' }])
  return { home, vendor, bid, contract, parent }
}

function assertSelectionOrderable(homeId: string, selection: Selection | null): void {
  if (selection === null) return
  if (selection.homeId !== homeId)
    throw validationFailed([
      { pointer: '/optionSelectionId', code: 'other_home', message: 'must be a selection for the same home' },
    ])
  if (ACTIVE_STATUSES.includes(selection.status)) return
  throw conflict('wrong_status', `Cannot order the selection: it is ${selection.status}. Approve it first.`)
}

function assertSameHome(homeId: string, parent: PurchaseOrder | null): void {
  if (parent === null || parent.homeId === homeId) return
  throw validationFailed([
    { pointer: '/parentPoId', code: 'other_home', message: 'must be an order for the same home' },
  ])
}

/** Throws if this order must not refer to the earlier order. */
function assertParentFits(
  order: Pick<PurchaseOrder, 'poType' | 'vendorId' | 'optionSelectionId'>,
  parent: PurchaseOrder | null,
): void {
  const errors = findParentErrors(order, parent)
  if (errors.length > 0) throw validationFailed(errors)
  const reason = parent === null || order.poType !== 'change' ? null : explainWhyOrderCannotBeChanged(parent)
  if (reason !== null) throw conflict('wrong_status', reason)
}

interface OrderChange<Body> {
  body: Body
  ifMatch: string | undefined
  createScopes: boolean | undefined
}

async function updateOrder(
  call: WriteCall,
  id: string,
  { body, ifMatch, createScopes }: OrderChange<Checked['PurchaseOrderUpdate']>,
): Promise<PurchaseOrder> {
  const { homeId } = await orders.find(call, id)
  // Locking the home prevents changes to its budget lines.
  const home = await homes.lock(call, homeId)
  const before = await orders.lock(call, id)
  assertIfMatch(ifMatch, before)
  const fixed = findFixedFields(before, body)
  if (fixed.length > 0) {
    throw conflict(
      'wrong_status',
      `${formatList(fixed.map(({ pointer }) => pointer.slice(1)))} can only be changed while the order is a draft. ${before.number} is ${describeStatus(before.status)}.`,
      {
        errors: fixed,
      },
    )
  }
  if (before.status !== 'draft') {
    const { notes, lienWaiverRequired, accountingId, externalId } = body
    return orders.update(call, before, { notes, lienWaiverRequired, accountingId, externalId })
  }

  const parent = await checkReferences(call, before, body)
  const { lines: provided, ...rest } = body
  const bound = { ...before, ...rest }
  const root = await findRootOrder(call, bound)
  await assertBindable(call, before, { ...bound, rootPoId: root?.id ?? null })
  await assertMilestonesExist(call, before.homeId, body.retainageSteps ?? [])
  const terms = root === null ? {} : getSharedTerms(root)
  const next = { ...bound, ...terms }
  if (parent !== undefined) assertParentFits(next, parent)
  const { vendorId, contractId, scope } = next
  const priced = provided && (await priceLines(call, provided, { home, vendorId, contractId, lines: before.lines }))
  const requested =
    priced === undefined
      ? before.lines
      : await assignCostCodes(call, priced, await scopes.findDefaultCostCode(call, scope), before.lines)
  const { lines, ...sums } = calculateOrderTotals(requested, before.currency)
  const errors = [
    ...findOrderErrors({ ...next, ...sums }),
    ...findNoPaymentErrors(next, lines),
    ...findVarianceErrors(next),
    ...findSharedTermErrors(root, body),
    ...(await findBudgetLineErrors(call, next, lines)),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  if (body.scope !== undefined) rest.scope = await scopes.requireTrade(call, body.scope, createScopes)
  const isRelined = !isDeepStrictEqual(lines, before.lines)
  if (isRelined) await orders.replaceOrderLines(call, id, lines)
  const after = await orders.update(call, before, { ...rest, ...terms, rootPoId: root?.id ?? null, ...sums })
  return isRelined && after.version === before.version ? orders.bumpVersion(call, id) : after
}

/** Throws if the update would make an order with change orders a change order itself, or change its vendor. */
async function assertBindable(
  call: WriteCall,
  before: PurchaseOrder,
  after: Pick<PurchaseOrder, 'vendorId' | 'rootPoId'>,
): Promise<void> {
  if (after.rootPoId === before.rootPoId && after.vendorId === before.vendorId) return
  const [, ...others] = await orders.findIdsOfWholes(call, [before.id])
  if (before.rootPoId !== null || others.length === 0) return
  const [field, message] =
    after.rootPoId === before.rootPoId
      ? ['vendorId', 'cannot be changed: the order has change orders']
      : ['parentPoId', 'cannot be set: the order has change orders']
  throw validationFailed([{ pointer: `/${field}`, code: 'has_changes', message }])
}

function findFixedFields(order: PurchaseOrder, body: Checked['PurchaseOrderUpdate']): FieldError[] {
  if (order.status === 'draft') return []
  return Object.entries(body)
    .filter(
      ([field, value]) =>
        value !== undefined &&
        !ALWAYS_EDITABLE.includes(field) &&
        !isDeepStrictEqual(value, order[field as keyof typeof order]),
    )
    .map(([field]) => ({
      pointer: `/${field}`,
      code: 'fixed',
      message: `cannot be changed: the order is ${describeStatus(order.status)}`,
    }))
}

/**
 * Checks the records that the changes refer to. Returns the earlier order; undefined if the changes do not affect the
 * reference to it.
 */
async function checkReferences(
  call: WriteCall,
  before: PurchaseOrder,
  { vendorId, poType, parentPoId }: Checked['PurchaseOrderUpdate'],
): Promise<PurchaseOrder | null | undefined> {
  const parentId = parentPoId === undefined ? before.parentPoId : parentPoId
  const isParentTouched = vendorId !== undefined || poType !== undefined || parentPoId !== undefined
  const vendor = vendorId === undefined ? null : await vendors.findOptional(call, vendorId)
  const parent = parentId === null || !isParentTouched ? null : await orders.findOptional(call, parentId)
  if (vendor === undefined || parent === undefined) {
    throw unknownReference([
      ...(vendor === undefined ? ['/vendorId'] : []),
      ...(parent === undefined ? ['/parentPoId'] : []),
    ])
  }
  assertSameHome(before.homeId, parent)
  if (parent?.id === before.id)
    throw validationFailed([{ pointer: '/parentPoId', code: 'itself', message: 'must be a different order' }])
  if (vendor !== null && vendor.id !== before.vendorId) {
    if (before.bidId !== null || before.contractId !== null) {
      const source = before.bidId !== null ? 'bid' : 'contract'
      throw conflict('fixed', `Cannot change the vendor of ${before.number}: the order was created from a ${source}.`)
    }
    if (vendor.archivedAt !== null)
      throw conflict('vendor_archived', `Cannot order from ${vendor.companyName}: it is archived.`)
  }
  return isParentTouched ? parent : undefined
}
