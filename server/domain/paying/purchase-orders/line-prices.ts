import type { FieldError, Home, PriceIssue, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as parts from '../../costs/parts/queries.ts'
import { findVendorOffers } from '../../costs/prices/vendor-offers.ts'
import * as communities from '../../land/communities/queries.ts'
import type { PricedLine } from './totals.ts'

interface OrderContext {
  home: Home
  vendorId: string
  contractId: string | null
  /** The current lines. A line that is sent without changes keeps the source of its price. */
  lines?: readonly PurchaseOrderLine[]
}

/** The default unit in the API contract. */
const NO_UNIT = 'LS'

type OrderLineInput = Checked['PurchaseOrderLineInput']

const PRICE_REQUIRED_MESSAGES: Readonly<Record<PriceIssue, string>> = {
  no_price: 'is required because the vendor has no price for the part',
  expired: "is required because the vendor's price for the part has expired",
  not_yet_effective: "is required because the vendor's price for the part is not yet effective",
  elsewhere: "is required because the vendor's price for the part applies only in other places",
  below_minimum: "is required because the vendor's price for the part applies only to larger quantities",
  vendor_not_active: 'is required because the vendor is not active',
}

/**
 * Returns the lines, with omitted fields filled in from their parts. Throws if a price is unknown, because an unknown
 * price must not become 0.
 */
export async function priceLines(
  call: WriteCall,
  inputs: readonly OrderLineInput[],
  order: OrderContext,
): Promise<PricedLine[]> {
  const known = await findParts(call, inputs)
  const sought = inputs.flatMap(({ partId, quantity, unitPrice }) =>
    partId != null && unitPrice === undefined ? [{ partId, quantity }] : [],
  )
  const found = (await findOffersFor(call, sought, order)).values()
  const errors: FieldError[] = []
  const lines = inputs.map((input, i): PricedLine => {
    const part = known.get(input.partId ?? '')
    const { description = part?.name } = input
    const unit = input.unit === NO_UNIT && part !== undefined ? part.unit : input.unit
    const fault = (field: string, code: string, message: string) =>
      errors.push({ pointer: `/lines/${i}/${field}`, code, message })
    if (description === undefined) fault('description', 'required', 'is required unless partId is set')
    if (part !== undefined && unit !== part.unit) fault('unit', 'unit', `must be ${part.unit}, the unit of ${part.sku}`)
    let { unitPrice } = input
    let priceId = unitPrice === undefined ? null : keepPrice(input, order.lines)
    if (unitPrice === undefined && part === undefined)
      fault('unitPrice', 'required', 'is required unless partId is set')
    if (unitPrice === undefined && part !== undefined) {
      const offer = found.next().value
      if (offer?.issue === null) ({ priceId, unitPrice } = offer)
      else fault('unitPrice', offer?.issue ?? 'no_price', PRICE_REQUIRED_MESSAGES[offer?.issue ?? 'no_price'])
    }
    return { ...input, description: description ?? '', unit, unitPrice: unitPrice ?? 0, priceId }
  })
  if (errors.length > 0) throw validationFailed(errors)
  return lines
}

async function findParts(call: WriteCall, inputs: readonly OrderLineInput[]) {
  const ids = [...new Set(inputs.flatMap(({ partId }) => partId ?? []))]
  const known = new Map(ids.length === 0 ? [] : (await parts.findAll(call, ids)).map((part) => [part.id, part]))
  const unknown = findMissing(inputs, known)
  if (unknown.length > 0) throw unknownReference(unknown)
  return known
}

/** Returns the JSON pointers of the parts that do not exist. */
export async function findUnknownParts(
  call: WriteCall,
  inputs: readonly Pick<OrderLineInput, 'partId'>[],
): Promise<string[]> {
  const ids = [...new Set(inputs.flatMap(({ partId }) => partId ?? []))]
  if (ids.length === 0) return []
  return findMissing(inputs, new Map((await parts.findAll(call, ids)).map((part) => [part.id, part])))
}

function findMissing(inputs: readonly Pick<OrderLineInput, 'partId'>[], known: ReadonlyMap<string, unknown>): string[] {
  return inputs.flatMap(({ partId }, i) => (partId == null || known.has(partId) ? [] : [`/lines/${i}/partId`]))
}

async function findOffersFor(
  call: WriteCall,
  sought: readonly { partId: string; quantity: number }[],
  { home, vendorId, contractId }: OrderContext,
) {
  if (sought.length === 0) return []
  const { communityId, planId } = home
  const { timeZone } = await communities.find(call, communityId)
  const on = toLocalDate(timeZone ?? call.timeZone, call.now)
  const needed = sought.map((line) => ({ ...line, communityId, planId }))
  return findVendorOffers(call, needed, { vendorId, contractId, on })
}

function keepPrice({ lineId, partId = null, unitPrice }: OrderLineInput, lines: readonly PurchaseOrderLine[] = []) {
  const before = lines.find((line) => line.lineId === lineId)
  return before?.partId === partId && before.unitPrice === unitPrice ? before.priceId : null
}
