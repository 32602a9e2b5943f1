import type { PortalOrder, PortalOrderAnswer, PortalOrderStatus, PurchaseOrder } from '../../../client/contract.gen.ts'
import * as homes from '../../domain/land/homes/queries.ts'
import { createOrderPdf } from '../../domain/paying/order-documents/order-pdf.ts'
import { findOrderTerms } from '../../domain/paying/order-documents/order-terms.ts'
import { changeOrderStatus } from '../../domain/paying/purchase-orders/change-order-status.ts'
import * as orders from '../../domain/paying/purchase-orders/queries.ts'
import { findSpanishScope } from '../../domain/vendors/scopes/queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { FileResponse } from '../../platform/calls/file-response.ts'
import { conflict, notFound, validationFailed } from '../../platform/problems/problem.ts'
import { subtract } from '../../platform/values/money.ts'
import { sumBillsOfOrder } from './order-queries.ts'
import * as portal from './queries.ts'

/** Returns an order that was issued to the vendor. */
export async function readOrder(call: Call, poId: string): Promise<PortalOrder> {
  return toPortalOrder(call, await requireVisibleOrder(call, poId))
}

/** Returns the order's PDF, which is the same for the vendor and the builder. */
export async function createPortalOrderPdf(call: Call, poId: string): Promise<FileResponse> {
  await requireVisibleOrder(call, poId)
  return createOrderPdf(call, poId)
}

export async function respondToOrder(
  call: Call,
  poId: string,
  { answer, reason, version }: PortalOrderAnswer,
): Promise<PortalOrder> {
  if (answer === 'declined' && reason === undefined)
    throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when answer is declined' }])
  await call.write(async (call) => {
    const { homeId } = await requireVisibleOrder(call, poId)
    // Locks the records in the same order as a change of status does, so that the state that is read here cannot change
    // in between.
    await homes.lock(call, homeId)
    const order = await orders.lock(call, poId)
    if (order.status === answer) return
    if (version !== undefined && version !== order.version)
      throw conflict(
        'changed_meanwhile',
        `${order.number} has changed since you read it. Read the order again and retry.`,
      )
    await changeOrderStatus(call, poId, { status: answer, ...(answer === 'declined' && { reason }) })
  })
  return readOrder(call, poId)
}

async function toPortalOrder(call: Call, order: PurchaseOrder & { status: PortalOrderStatus }): Promise<PortalOrder> {
  const { communityId } = await homes.find(call, order.homeId)
  const { timeZone: _, ...community } = await portal.findBuildingSite(call, communityId)
  const [home] = await portal.findPortalHomes(call, [order.homeId])
  if (home === undefined) throw notFound()
  const vendor = await vendors.find(call, order.vendorId)
  const { id, number, status, scope, subtotal, taxTotal, total, currency, retainagePercent } = order
  const { paidAmount, balance, notes, issuedAt, acceptedAt, version } = order
  return {
    ...{ id, number, status, scope, spanishScope: await findSpanishScope(call, scope), canAnswer: status === 'issued' },
    ...{ canBill: isBilledByVendor(order), leftToBill: Math.max(0, subtract(total, await sumBillsOfOrder(call, id))) },
    // Vendors must not see budgets and cost codes, which are the builder's internal data.
    lines: order.lines.map(({ lineId, description, quantity, unit, unitPrice, total }) => ({
      ...{ lineId, description, quantity, unit, unitPrice, total },
    })),
    ...{ subtotal, taxTotal, total, currency, retainagePercent, paidAmount, balance, notes },
    ...{ terms: await findOrderTerms(call), issuedAt, acceptedAt, version },
    builder: { name: call.principal.organization.name },
    vendor: { id: vendor.id, companyName: vendor.companyName },
    community,
    home,
  }
}

/** The statuses of orders for which vendors send bills. */
const BILLED_STATUSES: readonly PortalOrderStatus[] = ['accepted', 'partially_completed', 'completed']

/** Returns whether the vendor sends bills for the order. Otherwise, recorded progress creates the bills. */
function isBilledByVendor(order: PurchaseOrder & { status: PortalOrderStatus }): boolean {
  return order.billingMethod === 'by_bill' && !order.noPayment && BILLED_STATUSES.includes(order.status)
}

/**
 * Returns the order if it was issued to the caller and the token covers the vendor's whole portal. Otherwise, throws
 * `not_found`.
 */
export async function requireVisibleOrder(
  call: Call,
  id: string,
): Promise<PurchaseOrder & { status: PortalOrderStatus }> {
  const { principal } = call
  const order = await orders.findOptional(call, id)
  const isShown = principal.subjectId === principal.id && order?.vendorId === principal.id && order.issuedAt !== null
  if (order === undefined || !isShown) throw notFound()
  const { status } = order
  // An order that is being revised has no issue date, so this condition is never true. It only narrows the type.
  if (status === 'draft' || status === 'pending_approval' || status === 'approved') throw notFound()
  return { ...order, status }
}
