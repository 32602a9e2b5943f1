import Big from 'big.js'
import { sql } from 'kysely'
import type { Bill, PaymentAllocation } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { roundMoney, subtract, sum } from '../../../platform/values/money.ts'

/** The part of an approved bill that belongs to one order or to no order, with the totals of its payments. */
export interface BillPart
  extends Pick<
    Bill,
    | ('vendorId' | 'status' | 'holdReason' | 'invoiceDate' | 'dueDate' | 'discountDueDate' | 'billType')
    | ('invoiceNumber' | 'amount' | 'discountAmount' | 'currency')
  > {
  billId: string
  billNumber: string
  poId: string | null
  gross: number
  retainage: number
  /** The amount of the order's deposits and adjustments that is applied to this part; negative for a refund. */
  applied: number
  /**
   * Totals of payments that are neither rejected nor void: the amount before retainage, the retainage, and the
   * discount.
   */
  allocated: number
  allocatedRetainage: number
  allocatedDiscount: number
  /** Totals of paid payments: the amount after retainage, and the discount that was deducted. */
  paid: number
  discountTaken: number
}

const STANDING = sql`('pending', 'approved', 'paid')`

/** Returns the parts of approved bills for the orders. */
export function findPartsOfOrders(call: Tenant, poIds: readonly string[]): Promise<BillPart[]> {
  return findParts(
    call,
    sql`
      select o."billId", o."poId", o."grossAmount" as "gross", o."retainageWithheld" as "retainage",
        o."appliedAmount" as "applied"
      from "billOrders" as o
      where o."organizationId" = ${call.organizationId} and o."poId" = any(${[...poIds]}::text[])`,
  )
}

/** Returns all parts of those bills that are approved. */
export function findPartsOfBills(call: Tenant, billIds: readonly string[]): Promise<BillPart[]> {
  const { organizationId } = call
  return findParts(
    call,
    sql`
      select o."billId", o."poId", o."grossAmount" as "gross", o."retainageWithheld" as "retainage",
        o."appliedAmount" as "applied"
      from "billOrders" as o
      where o."organizationId" = ${organizationId} and o."billId" = any(${[...billIds]}::text[])
      union all
      select l."billId", null, sum(l."amount"), sum(l."retainageWithheld"), 0
      from "billLines" as l
      where l."organizationId" = ${organizationId} and l."billId" = any(${[...billIds]}::text[]) and l."poId" is null
      group by l."billId"`,
  )
}

async function findParts({ db, organizationId }: Tenant, parts: ReturnType<typeof sql>): Promise<BillPart[]> {
  const { rows } = await sql<BillPart>`
    with "parts" as (${parts}), "allocated" as (
      select a."billId", a."poId", sum(a."amount") as "allocated", sum(a."retainageWithheld") as "allocatedRetainage",
        sum(a."discountAmount") as "allocatedDiscount",
        coalesce(sum(a."amount" - a."retainageWithheld") filter (where p."status" = 'paid'), 0) as "paid",
        coalesce(sum(a."discountTaken") filter (where p."status" = 'paid'), 0) as "discountTaken"
      from "paymentAllocations" as a
      join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
      where a."organizationId" = ${organizationId} and a."billId" in (select "billId" from "parts")
        and p."status" in ${STANDING}
      group by a."billId", a."poId"
    )
    select s."billId", s."poId", s."gross", s."retainage", s."applied", b."number" as "billNumber", b."vendorId",
      b."status", b."billType", b."holdReason", b."invoiceNumber", b."invoiceDate", b."dueDate", b."discountDueDate",
      b."amount", b."discountAmount", b."currency", coalesce(a."allocated", 0) as "allocated",
      coalesce(a."allocatedRetainage", 0) as "allocatedRetainage",
      coalesce(a."allocatedDiscount", 0) as "allocatedDiscount", coalesce(a."paid", 0) as "paid",
      coalesce(a."discountTaken", 0) as "discountTaken"
    from "parts" as s
    join "bills" as b on b."organizationId" = ${organizationId} and b."id" = s."billId"
      and b."status" in ('approved', 'partially_paid', 'paid')
    left join "allocated" as a on a."billId" = s."billId" and a."poId" is not distinct from s."poId"
    order by b."invoiceDate", s."billId", s."poId"`.execute(db)
  return rows
}

export const getNetAmount = ({ gross, retainage }: Pick<BillPart, 'gross' | 'retainage'>) => subtract(gross, retainage)

/**
 * Returns the amounts of the part that are neither on a payment nor covered by a deposit: before retainage (`gross`),
 * the retainage, and after retainage (`net`).
 */
export function getOpenAmounts({ gross, retainage, applied, allocated, allocatedRetainage }: BillPart) {
  const openGross = sum([gross, -applied, -allocated])
  const openRetainage = subtract(retainage, allocatedRetainage)
  return { gross: openGross, retainage: openRetainage, net: subtract(openGross, openRetainage) }
}

/** Returns the paid amount of a part, including applied deposits. */
export const getPaidAmount = ({ paid, applied }: BillPart) => sum([paid, applied])

export const getReservedAmount = ({ allocated, allocatedRetainage, paid }: BillPart) =>
  sum([allocated, -allocatedRetainage, -paid])

/**
 * Allocates an amount before retainage to the part. The retainage of the allocation is a share of the open retainage,
 * rounded on the running total, so that all payments of the part together withhold exactly its retainage.
 */
export function allocateGross(part: BillPart, amount: number): PaymentAllocation {
  const open = getOpenAmounts(part)
  const before = part.allocated
  const base = subtract(part.gross, part.applied)
  const upToHere = share(part.retainage, sum([before, amount]), base, part.currency)
  const isAll = amount === open.gross
  const retainageWithheld = isAll
    ? open.retainage
    : between(subtract(upToHere, part.allocatedRetainage), 0, amount, open.retainage)
  return allocation(part, amount, retainageWithheld)
}

/** Allocates an amount after retainage to the part. */
export function allocateNet(part: BillPart, net: number): PaymentAllocation {
  const open = getOpenAmounts(part)
  const retainageWithheld =
    net === open.net
      ? open.retainage
      : between(share(open.retainage, net, open.net, part.currency), 0, open.retainage, open.retainage)
  return allocation(part, sum([net, retainageWithheld]), retainageWithheld)
}

function allocation(part: BillPart, amount: number, retainageWithheld: number): PaymentAllocation {
  const { billId, poId, dueDate, discountDueDate } = part
  const net = subtract(amount, retainageWithheld)
  const upToHere = sum([part.allocated, -part.allocatedRetainage, net])
  const discountAmount =
    part.discountAmount === 0 || net <= 0
      ? 0
      : Math.max(subtract(share(part.discountAmount, upToHere, part.amount, part.currency), part.allocatedDiscount), 0)
  return {
    ...{ billId, poId, lineId: null, amount, retainageWithheld },
    ...{ discountAmount, discountDueDate: discountAmount === 0 ? null : discountDueDate, dueDate },
  }
}

/** Returns `amount` × `part` ÷ `whole`, rounded to the minor unit. If `whole` is 0, returns `amount`. */
function share(amount: number, part: number, whole: number, currency: string): number {
  if (whole === 0) return amount
  return roundMoney(new Big(amount).times(part).div(whole), currency)
}

/** Limits a value to the range between `zero` and the nearer of the two limits, which may be negative. */
function between(value: number, zero: number, one: number, other: number): number {
  const sign = one < 0 || other < 0 ? -1 : 1
  return sign * Math.max(zero, Math.min(sign * value, sign * one, sign * other))
}

/** Stores the changed amounts by which deposits cover parts of bills. */
export async function writeAppliedAmounts(
  { db, organizationId }: WriteCall,
  parts: readonly Pick<BillPart, 'billId' | 'poId' | 'applied'>[],
): Promise<void> {
  if (parts.length === 0) return
  await sql`
    update "billOrders" as o set "appliedAmount" = n."applied"
    from unnest(${parts.map(({ billId }) => billId)}::text[], ${parts.map(({ poId }) => poId)}::text[],
      ${parts.map(({ applied }) => applied)}::numeric[]) as n ("billId", "poId", "applied")
    where o."organizationId" = ${organizationId} and o."billId" = n."billId" and o."poId" = n."poId"`.execute(db)
}

/**
 * Applies payments of an order without a bill to the open parts of the order's bills, oldest first. Applies a refund
 * first to credit memos, and then takes back amounts from the newest paid parts. Returns the parts whose applied amount
 * changes.
 */
export function applyPrepayments(parts: readonly BillPart[], prepaid: number, sign: 1 | -1): BillPart[] {
  const applied = new Map(parts.map((part) => [part, 0]))
  const openBefore = (part: BillPart) => sign * sum([getNetAmount(part), -part.allocated, part.allocatedRetainage])
  let left = sign * prepaid
  const take = (part: BillPart, amount: number) => {
    applied.set(part, sum([applied.get(part) ?? 0, sign * amount]))
    left = subtract(left, amount)
  }
  for (const part of parts) if (left > 0 && openBefore(part) > 0) take(part, Math.min(left, openBefore(part)))
  for (const part of parts) if (left < 0 && openBefore(part) < 0) take(part, Math.max(left, openBefore(part)))
  for (const part of parts.toReversed())
    if (left < 0 && sign * part.paid > 0) take(part, Math.max(left, -sign * part.paid))
  return parts.flatMap((part) => {
    const amount = applied.get(part) ?? 0
    return amount === part.applied ? [] : { ...part, applied: amount }
  })
}
