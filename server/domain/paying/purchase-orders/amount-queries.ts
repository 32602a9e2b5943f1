import { sql } from 'kysely'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'

/** The totals of an order's active payments. The totals are exact while the order's row is locked. */
export interface PaymentSums {
  poId: string
  /** Paid amounts, minus the retainage that was held. */
  paid: number
  /** Amounts of pending and approved payments, minus the retainage held. Excludes releases of retainage. */
  reserved: number
  /** Released retainage that was paid. `paid` includes this amount. */
  released: number
  /** Released retainage on pending and approved payments. */
  releasing: number
  /** Amount paid without a bill: deposits and adjustments. */
  prepaid: number
  /** Adjustments on pending and approved payments: positive amounts, and below them negative amounts. */
  adjustingUp: number
  adjustingDown: number
}

/** The statuses of active payments: neither rejected nor void. */
const STANDING = sql`('pending', 'approved', 'paid')`

/** Returns the totals of each order. Omits orders without payments. */
export async function findPaymentSums(
  { db, organizationId }: Tenant,
  poIds: readonly string[],
): Promise<Map<string, PaymentSums>> {
  const { rows } = await sql<PaymentSums>`
    select a."poId",
      coalesce(sum(a."amount" - a."retainageWithheld") filter (where p."status" = 'paid'), 0) as "paid",
      coalesce(sum(a."amount" - a."retainageWithheld")
        filter (where p."status" <> 'paid' and p."paymentType" <> 'retainage_release'), 0) as "reserved",
      coalesce(sum(a."amount") filter (where p."status" = 'paid' and p."paymentType" = 'retainage_release'), 0) as "released",
      coalesce(sum(a."amount") filter (where p."status" <> 'paid' and p."paymentType" = 'retainage_release'), 0) as "releasing",
      coalesce(sum(a."amount")
        filter (where p."status" = 'paid' and p."paymentType" <> 'retainage_release' and a."billId" is null), 0) as "prepaid",
      coalesce(sum(greatest(a."amount", 0))
        filter (where p."status" <> 'paid' and p."paymentType" = 'adjustment'), 0) as "adjustingUp",
      coalesce(sum(least(a."amount", 0))
        filter (where p."status" <> 'paid' and p."paymentType" = 'adjustment'), 0) as "adjustingDown"
    from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${organizationId} and a."poId" = any(${[...poIds]}::text[]) and p."status" in ${STANDING}
    group by a."poId"`.execute(db)
  return new Map(rows.map((row) => [row.poId, row]))
}

export async function hasPayments({ db, organizationId }: Tenant, poIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${organizationId} and a."poId" = any(${[...poIds]}::text[])
      and p."status" in ${STANDING} limit 1`.execute(db)
  return rows.length > 0
}

/** Returns the total of the active payments that refer to a line, for each line of the order. */
export async function sumBilledByLine({ db, organizationId }: Tenant, poId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ lineId: string; billed: number }>`
    select a."lineId", sum(a."amount") as "billed"
    from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${organizationId} and a."poId" = ${poId} and a."lineId" is not null
      and p."status" in ${STANDING}
    group by a."lineId"`.execute(db)
  return new Map(rows.map(({ lineId, billed }) => [lineId, billed]))
}

/**
 * Stores on each line of a locked order the amount that was paid separately for that line. Budgets divide the other
 * payments among all lines.
 */
export async function writePaidOfLines({ db, organizationId }: WriteCall, poId: string): Promise<void> {
  await sql`
    update "purchaseOrderLines" as l set "paidAmount" = s."paid"
    from (
      select n."lineId", coalesce((
        select sum(a."amount" - a."retainageWithheld")
        from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        where a."organizationId" = n."organizationId" and a."poId" = n."purchaseOrderId" and a."lineId" = n."lineId"
          and p."status" = 'paid'), 0) as "paid"
      from "purchaseOrderLines" as n
      where n."organizationId" = ${organizationId} and n."purchaseOrderId" = ${poId}
    ) as s
    where l."organizationId" = ${organizationId} and l."purchaseOrderId" = ${poId} and l."lineId" = s."lineId"
      and l."paidAmount" <> s."paid"`.execute(db)
}

/** The totals of the approved bills of an order. The totals are exact while the order's row is locked. */
export interface BillSums {
  poId: string
  gross: number
  withheld: number
}

/** Returns the totals of each order. Omits orders without approved bills. */
export async function findBillSums(
  { db, organizationId }: Tenant,
  poIds: readonly string[],
): Promise<Map<string, BillSums>> {
  const { rows } = await sql<BillSums>`
    select o."poId", sum(o."grossAmount") as "gross", sum(o."retainageWithheld") as "withheld"
    from "billOrders" as o
    join "bills" as b on b."organizationId" = o."organizationId" and b."id" = o."billId"
    where o."organizationId" = ${organizationId} and o."poId" = any(${[...poIds]}::text[])
      and b."status" in ('approved', 'partially_paid', 'paid')
    group by o."poId"`.execute(db)
  return new Map(rows.map((row) => [row.poId, row]))
}

/** Returns whether one of the orders has a bill that is neither rejected nor void. */
export async function hasBills({ db, organizationId }: Tenant, poIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "billOrders" as o
    join "bills" as b on b."organizationId" = o."organizationId" and b."id" = o."billId"
    where o."organizationId" = ${organizationId} and o."poId" = any(${[...poIds]}::text[])
      and b."status" not in ('rejected', 'void') limit 1`.execute(db)
  return rows.length > 0
}

/** Returns whether a migrated order has no change orders, and no work or bills except those from the migration. */
export async function hasOnlyMigratedWork({ db, organizationId }: Tenant, poId: string): Promise<boolean> {
  const { rows } = await sql`
    with "billed" as (
      select b."migrated", s."grossAmount" from "billOrders" as s
      join "bills" as b on b."organizationId" = s."organizationId" and b."id" = s."billId"
      where s."organizationId" = ${organizationId} and s."poId" = ${poId} and b."status" not in ('rejected', 'void')
    )
    select 1 from "purchaseOrders" as o
    where o."organizationId" = ${organizationId} and o."id" = ${poId} and o."migrated"
      and o."completedAmount" + o."storedAmount" = coalesce((select sum("grossAmount") from "billed"), 0)
      and not exists (select from "billed" where not "migrated")
      and not exists (
        select from "purchaseOrders" as c
        where c."organizationId" = o."organizationId" and c."rootPoId" = o."id" and c."status" <> 'void')`.execute(db)
  return rows.length > 0
}
