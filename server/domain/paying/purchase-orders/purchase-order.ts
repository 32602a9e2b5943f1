import type {
  FieldError,
  Home,
  PurchaseOrder,
  PurchaseOrderStatus,
  PurchaseOrderType,
  VarianceReasonCode,
  Vendor,
} from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { ORDERED_STATUSES } from '../../statuses/order-statuses.ts'

/**
 * The allowed status changes of an order, which go in one direction only. The amounts of an issued order are fixed, and
 * an order with payments cannot be voided.
 */
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

/** Returns whether a status change requires a reason, such as rejecting an order or reverting its completion. */
export function isReasonRequired(from: PurchaseOrderStatus, to: PurchaseOrderStatus): boolean {
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

/** The fields that can change in every status. None of them affects the approved or ordered work. */
export const ALWAYS_EDITABLE: readonly string[] = ['notes', 'lienWaiverRequired', 'accountingId', 'externalId']

const NON_NEGATIVE_TYPES: readonly PurchaseOrderType[] = ['base', 'option', 'variance', 'service']

/** Returns the errors in the entire order, including fields that the request omits. */
export function findOrderErrors(order: Pick<PurchaseOrder, 'poType' | 'total'>): FieldError[] {
  const errors: FieldError[] = []
  if (order.poType === 'backcharge' && order.total >= 0) {
    errors.push({
      pointer: '/lines',
      code: 'sum',
      message: 'must have a negative total when poType is backcharge, because the vendor owes the amount',
    })
  }
  if (NON_NEGATIVE_TYPES.includes(order.poType) && order.total < 0) {
    errors.push({
      pointer: '/lines',
      code: 'sum',
      message: `must not have a negative total when poType is ${order.poType}`,
    })
  }
  return errors
}

/** Returns the errors in the lines of an order that is only for scheduling. */
export function findNoPaymentErrors(
  { noPayment }: Pick<PurchaseOrder, 'noPayment'>,
  lines: readonly Pick<PurchaseOrder['lines'][number], 'total'>[],
): FieldError[] {
  if (!noPayment) return []
  return lines.flatMap(({ total }, i) =>
    total === 0
      ? []
      : [{ pointer: `/lines/${i}/unitPrice`, code: 'maximum', message: 'must be 0 when noPayment is true' }],
  )
}

/** Returns the default retainage percentage of an order, which is 0 for a backcharge. */
export function getDefaultRetainage(
  { poType }: Pick<PurchaseOrder, 'poType'>,
  from: Pick<Vendor, 'defaultRetainagePercent'>,
): number {
  return poType === 'backcharge' ? 0 : from.defaultRetainagePercent
}

/** The reason codes that require notes, because they are too unspecific alone. */
const REASONS_NEEDING_NOTES: readonly (VarianceReasonCode | null | undefined)[] = ['backcharge', 'other']

/** Returns errors if a variance order lacks the reason or the responsible party. */
export function findVarianceErrors(
  order: Pick<PurchaseOrder, 'poType'> & {
    [Field in 'varianceReasonCode' | 'varianceResponsible' | 'notes']?: PurchaseOrder[Field] | undefined
  },
): FieldError[] {
  if (order.poType !== 'variance') return []
  const missing = (['varianceReasonCode', 'varianceResponsible'] as const).filter((field) => order[field] == null)
  const errors = missing.map((field) => ({
    pointer: `/${field}`,
    code: 'required',
    message: 'is required when poType is variance',
  }))
  if (!REASONS_NEEDING_NOTES.includes(order.varianceReasonCode) || order.notes != null) return errors
  const message = `is required when varianceReasonCode is ${order.varianceReasonCode}`
  return [...errors, { pointer: '/notes', code: 'required', message }]
}

/** Returns the errors in the reference to an earlier order. */
export function findParentErrors(
  { poType, vendorId, optionSelectionId }: Pick<PurchaseOrder, 'poType' | 'vendorId' | 'optionSelectionId'>,
  parent: PurchaseOrder | null,
): FieldError[] {
  const at = (code: string, message: string) => [{ pointer: '/parentPoId', code, message }]
  if (poType === 'change' && parent === null && optionSelectionId === null)
    return at('required', 'is required when poType is change, unless optionSelectionId is set')
  if (parent === null || (poType !== 'change' && poType !== 'backcharge') || parent.vendorId === vendorId) return []
  return at('other_vendor', `must be an order to the same vendor when poType is ${poType}`)
}

/** Returns the reason why a change order cannot change the earlier order; null if there is none. */
export function explainWhyOrderCannotBeChanged({
  number,
  status,
}: Pick<PurchaseOrder, 'number' | 'status'>): string | null {
  if (ORDERED_STATUSES.includes(status)) return null
  return `${number} is ${describeStatus(status)}. A change order needs an order that has been issued.`
}

/** Returns the reason why the home cannot have new orders; null if there is none. */
export function explainWhyHomeAcceptsNoOrders(home: Home): string | null {
  if (home.status === 'cancelled') return `${home.name} is canceled.`
  return home.archivedAt === null ? null : `${home.name} is archived.`
}

/**
 * Returns the prefix of a home's order numbers, based on its lot; null if the home has no lot, or a lot number without
 * ASCII letters or digits.
 */
export function toLotOrderPrefix(lotNumber: string | null): string | null {
  const lot = (lotNumber ?? '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  if (lot === '') return null
  return `PO-${/^\d+$/.test(lot) ? lot.padStart(4, '0') : lot}`
}

/**
 * Returns the prefix of a home's order numbers, based on the position of the home among all homes. The letter H
 * distinguishes this prefix from a prefix based on a lot.
 */
export function toPositionOrderPrefix(position: number): string {
  return `PO-H${String(position).padStart(3, '0')}`
}

/**
 * Returns the number of an order from another system. Throws if a future order of the home could receive the same
 * number.
 *
 * @param next the number of the home's next new order
 */
export function toMigratedNumber(number: string, next: string): string {
  const prefix = next.replace(/\d+$/, '')
  const trimmed = number.trim()
  if (!trimmed.toUpperCase().startsWith(prefix)) return trimmed
  const message = `must not begin with ${prefix}, which is for new orders of the home`
  throw validationFailed([{ pointer: '/migration/number', code: 'reserved', message }])
}

export function formatOrderNumber(prefix: string, sequence: number): string {
  return `${prefix}-${String(sequence).padStart(2, '0')}`
}
