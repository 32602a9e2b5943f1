import type {
  FieldError,
  Home,
  PurchaseOrder,
  PurchaseOrderStatus,
  PurchaseOrderType,
} from '../../../client/contract.gen.ts'

/** The life of an order, in one direction only: once issued its amounts are fixed, and once paid it is never voided. */
export const PURCHASE_ORDER_MOVES: Readonly<Record<PurchaseOrderStatus, readonly PurchaseOrderStatus[]>> = {
  draft: ['pending_approval', 'approved', 'void'],
  pending_approval: ['approved', 'draft', 'void'],
  approved: ['issued', 'void'],
  issued: ['accepted', 'declined', 'void'],
  accepted: ['partially_completed', 'completed', 'void'],
  declined: ['draft', 'void'],
  partially_completed: ['completed', 'void'],
  completed: ['closed', 'partially_completed', 'void'],
  closed: [],
  void: [],
}

/** Refusing an approval and undoing a completion need a reason. */
export function needsReason(from: PurchaseOrderStatus, to: PurchaseOrderStatus): boolean {
  return (from === 'pending_approval' && to === 'draft') || (from === 'completed' && to === 'partially_completed')
}

export const NO_APPROVAL: PurchaseOrder['approval'] = {
  required: false,
  reasons: [],
  limit: null,
  approvedBy: null,
  approvedAt: null,
  rejectedReason: null,
}

/** What can still change after the draft: nothing that was approved or ordered. */
export const ALWAYS_EDITABLE: readonly string[] = ['notes', 'accountingId', 'externalId']

const NEVER_NEGATIVE: readonly PurchaseOrderType[] = ['base', 'option', 'service']

/** What is wrong with the order as a whole, whichever part of it was sent. */
export function orderFaults(
  order: Pick<PurchaseOrder, 'poType' | 'total'> &
    Partial<Pick<PurchaseOrder, 'varianceReasonCode' | 'varianceResponsible'>>,
): FieldError[] {
  const faults: FieldError[] = []
  if (order.poType === 'variance') {
    for (const field of ['varianceReasonCode', 'varianceResponsible'] as const) {
      if (order[field] == null)
        faults.push({ pointer: `/${field}`, code: 'required', message: 'is required for a variance' })
    }
  }
  if (order.poType === 'backcharge' && order.total >= 0) {
    faults.push({
      pointer: '/lines',
      code: 'sum',
      message: 'must add up to less than zero, because the vendor owes a backcharge',
    })
  }
  if (NEVER_NEGATIVE.includes(order.poType) && order.total < 0) {
    faults.push({
      pointer: '/lines',
      code: 'sum',
      message: `must not add up to less than zero in an order of type ${order.poType}`,
    })
  }
  return faults
}

/** Why nothing more is ordered for the home; null if orders are possible. */
export function reasonNotToOrderFor(home: Home): string | null {
  if (home.status === 'cancelled') return `${home.name} is cancelled`
  return home.archivedAt === null ? null : `${home.name} is archived`
}

/**
 * The first part of a home's order numbers, from its lot; null if it has no lot, or one without plain letters or
 * digits.
 */
export function prefixOfLot(lotNumber: string | null): string | null {
  const lot = (lotNumber ?? '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  if (lot === '') return null
  return `PO-${/^\d+$/.test(lot) ? lot.padStart(4, '0') : lot}`
}

/** The same from the home's position among all homes; the H distinguishes it from a lot. */
export function prefixOfPlace(place: number): string {
  return `PO-H${String(place).padStart(3, '0')}`
}

export function numberOf(prefix: string, sequence: number): string {
  return `${prefix}-${String(sequence).padStart(2, '0')}`
}
