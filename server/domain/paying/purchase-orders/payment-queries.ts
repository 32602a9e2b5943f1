import { sql } from 'kysely'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'

/** The sums of an order's active payments. They are exact while the order's row is locked. */
export interface PaymentSums {
  poId: string
  /** Paid amounts, less the retainage held. */
  paid: number
  /** The same for pending and approved payments, without releases of retainage. */
  reserved: number
  /** Released retainage that was paid; included in `paid`. */
  released: number
  /** Released retainage on pending and approved payments. */
  releasing: number
  /** Billed amounts before retainage, without releases. */
  billed: number
  withheld: number
}

/** The statuses of active payments: neither rejected nor void. */
const ACTIVE_STATUSES_SQL = sql`('pending', 'approved', 'paid')`

/** Returns the sums of each order. Omits orders without payments. */
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
      coalesce(sum(a."amount") filter (where p."paymentType" <> 'retainage_release'), 0) as "billed",
      coalesce(sum(a."retainageWithheld"), 0) as "withheld"
    from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${organizationId} and a."poId" = any(${[...poIds]}::text[]) and p."status" in ${ACTIVE_STATUSES_SQL}
    group by a."poId"`.execute(db)
  return new Map(rows.map((row) => [row.poId, row]))
}

export async function hasPayments({ db, organizationId }: Tenant, poId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${organizationId} and a."poId" = ${poId} and p."status" in ${ACTIVE_STATUSES_SQL} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Returns the billed amount of each line in payments that name it. */
export async function findBilledByLine({ db, organizationId }: Tenant, poId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ lineId: string; billed: number }>`
    select a."lineId", sum(a."amount") as "billed"
    from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${organizationId} and a."poId" = ${poId} and a."lineId" is not null
      and p."status" in ${ACTIVE_STATUSES_SQL}
    group by a."lineId"`.execute(db)
  return new Map(rows.map(({ lineId, billed }) => [lineId, billed]))
}

/**
 * Stores on the lines of a locked order what was paid for each of them separately. Budgets divide the rest over all
 * lines.
 */
export async function storePaidByLine({ db, organizationId }: WriteCall, poId: string): Promise<void> {
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

/** Stores the reserved amounts of many locked orders, in one statement. */
export async function storeReserved(call: WriteCall, reserved: ReadonlyMap<string, number>): Promise<void> {
  await sql`
    update "purchaseOrders" as o set "reservedAmount" = r."amount", "version" = o."version" + 1, "updatedAt" = ${call.now}
    from unnest(${[...reserved.keys()]}::text[], ${[...reserved.values()]}::numeric[]) as r ("id", "amount")
    where o."organizationId" = ${call.organizationId} and o."id" = r."id"`.execute(call.db)
  for (const id of reserved.keys()) recordChange(call, id, 'updated', ['reservedAmount'])
}
