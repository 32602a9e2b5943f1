import { sql } from 'kysely'
import type { VendorStatementInput, VendorStatementResult } from '../../../../client/contract.gen.ts'
import { COMMITTED_STATUSES, OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { toReportPeriod, truncateRows, withReportFooter } from '../frame/report.ts'

const MAX_LISTED = 200

interface StatementTotals {
  vendor: string
  ordered: number
  completed: number
  retained: number
  payable: number
  paidInPeriod: number
}

export async function vendorStatement(input: VendorStatementInput, call: Call): Promise<VendorStatementResult> {
  const { vendorId } = input
  const { from, to } = toReportPeriod(call, input)
  const [totals, found, paid] = await Promise.all([
    findTotals(call, vendorId, from, to),
    findOrders(call, vendorId, from),
    findPayments(call, vendorId, from, to),
  ])
  const orders = truncateRows(found, MAX_LISTED)
  const payments = truncateRows(paid, MAX_LISTED)
  return {
    ...{ vendorId, from, to, ...totals, orders: orders.rows, payments: payments.rows },
    ...withReportFooter(call, { truncated: orders.truncated || payments.truncated }),
    currency: call.currency,
  }
}

async function findTotals(
  { db, organizationId }: Call,
  vendorId: string,
  from: string,
  to: string,
): Promise<StatementTotals> {
  const { rows } = await sql<StatementTotals>`
    select v."companyName" as "vendor", o.*, coalesce((
      select sum(p."amount") from "payments" p
      where p."organizationId" = ${organizationId} and p."vendorId" = v."id" and p."status" = 'paid'
        and p."paidDate" between ${from}::date and ${to}::date), 0) as "paidInPeriod"
    from "vendors" v cross join lateral (
      select coalesce(sum("total"), 0) as "ordered", coalesce(sum("completedAmount"), 0) as "completed",
        coalesce(sum("retainedAmount"), 0) as "retained",
        coalesce(sum("payableAmount") filter (where "status" = any(${[...OPEN_STATUSES]}::text[])), 0) as "payable"
      from "purchaseOrders"
      where "organizationId" = ${organizationId} and "vendorId" = v."id" and "status" = any(${[...COMMITTED_STATUSES]}::text[])
    ) as o
    where v."organizationId" = ${organizationId} and v."id" = ${vendorId}`.execute(db)
  const [totals] = rows
  if (totals === undefined) throw notFound()
  return totals
}

async function findOrders({ db, organizationId, timeZone }: Call, vendorId: string, from: string) {
  const { rows } = await sql<VendorStatementResult['orders'][number]>`
    select h."id" as "homeId", h."name" || ', ' || c."name" as "home", o."id" as "purchaseOrderId", o."number", o."scope",
      o."status", o."total", o."completedAmount" as "completed", o."paidAmount" as "paid", o."retainedAmount" as "retained",
      o."payableAmount" as "payable"
    from "purchaseOrders" o
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where o."organizationId" = ${organizationId} and o."vendorId" = ${vendorId}
      and o."status" = any(${[...COMMITTED_STATUSES]}::text[])
      and (o."closedAt" is null or o."closedAt" >= ${from}::date::timestamp at time zone ${timeZone})
    order by o."id" desc limit ${MAX_LISTED + 1}`.execute(db)
  return rows
}

async function findPayments({ db, organizationId }: Call, vendorId: string, from: string, to: string) {
  const { rows } = await sql<VendorStatementResult['payments'][number]>`
    select "id" as "paymentId", "number", "invoiceNumber", "paidDate", "amount" from "payments"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "status" = 'paid'
      and "paidDate" between ${from}::date and ${to}::date
    order by "paidDate" desc, "id" desc limit ${MAX_LISTED + 1}`.execute(db)
  return rows
}
