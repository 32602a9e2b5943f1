import { sql } from 'kysely'
import type { VendorStatementInput, VendorStatementResult } from '../../../../client/contract.gen.ts'
import { COMMITTED, OPEN } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { listed, periodOf, reported } from '../frame/report.ts'

const MOST_LISTED = 200

interface Totals {
  vendor: string
  ordered: number
  completed: number
  retained: number
  payable: number
  paidInPeriod: number
}

export async function vendorStatement(input: VendorStatementInput, call: Call): Promise<VendorStatementResult> {
  const { vendorId } = input
  const { from, to } = periodOf(call, input)
  const [totals, found, paid] = await Promise.all([
    totalsOf(call, vendorId, from, to),
    ordersOf(call, vendorId, from),
    paymentsOf(call, vendorId, from, to),
  ])
  const orders = listed(found, MOST_LISTED)
  const payments = listed(paid, MOST_LISTED)
  return {
    ...{ vendorId, from, to, ...totals, orders: orders.rows, payments: payments.rows },
    ...reported(call, { truncated: orders.truncated || payments.truncated }),
    currency: call.currency,
  }
}

async function totalsOf({ db, organizationId }: Call, vendorId: string, from: string, to: string): Promise<Totals> {
  const { rows } = await sql<Totals>`
    select v."companyName" as "vendor", o.*, coalesce((
      select sum(p."amount") from "payments" p
      where p."organizationId" = ${organizationId} and p."vendorId" = v."id" and p."status" = 'paid'
        and p."paidDate" between ${from}::date and ${to}::date), 0) as "paidInPeriod"
    from "vendors" v cross join lateral (
      select coalesce(sum("total"), 0) as "ordered", coalesce(sum("completedAmount"), 0) as "completed",
        coalesce(sum("retainedAmount"), 0) as "retained",
        coalesce(sum("payableAmount") filter (where "status" = any(${[...OPEN]}::text[])), 0) as "payable"
      from "purchaseOrders"
      where "organizationId" = ${organizationId} and "vendorId" = v."id" and "status" = any(${[...COMMITTED]}::text[])
    ) as o
    where v."organizationId" = ${organizationId} and v."id" = ${vendorId}`.execute(db)
  const [totals] = rows
  if (totals === undefined) throw notFound()
  return totals
}

async function ordersOf({ db, organizationId, timeZone }: Call, vendorId: string, from: string) {
  const { rows } = await sql<VendorStatementResult['orders'][number]>`
    select h."id" as "homeId", h."name" || ', ' || c."name" as "home", o."id" as "purchaseOrderId", o."number", o."scope",
      o."status", o."total", o."completedAmount" as "completed", o."paidAmount" as "paid", o."retainedAmount" as "retained",
      o."payableAmount" as "payable"
    from "purchaseOrders" o
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where o."organizationId" = ${organizationId} and o."vendorId" = ${vendorId}
      and o."status" = any(${[...COMMITTED]}::text[])
      and (o."closedAt" is null or o."closedAt" >= ${from}::date::timestamp at time zone ${timeZone})
    order by o."id" desc limit ${MOST_LISTED + 1}`.execute(db)
  return rows
}

async function paymentsOf({ db, organizationId }: Call, vendorId: string, from: string, to: string) {
  const { rows } = await sql<VendorStatementResult['payments'][number]>`
    select "id" as "paymentId", "number", "invoiceNumber", "paidDate", "amount" from "payments"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "status" = 'paid'
      and "paidDate" between ${from}::date and ${to}::date
    order by "paidDate" desc, "id" desc limit ${MOST_LISTED + 1}`.execute(db)
  return rows
}
