import { sql } from 'kysely'
import type { VendorStatementInput, VendorStatementResult } from '../../../../client/contract.gen.ts'
import type { Measure } from '../../../domain/ledger/posting.ts'
import { toPostingConditions } from '../../../domain/ledger/posting-queries.ts'
import { COMMITTED_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { explainEarlyDate } from '../frame/ledger-start.ts'
import { createReportFooter, selectSentences, toReportPeriod, truncateRows } from '../frame/report.ts'

const MAX_LISTED = 200

interface Period {
  vendorId: string
  from: string
  to: string
  knownAt: string | undefined
}

/**
 * Prepares a vendor's statement from the ledger, so that a statement for a past period never changes. The opening
 * balance and the changes in the period add up to the closing balance.
 */
export async function buildVendorStatement(
  { vendorId, knownAt, ...input }: VendorStatementInput,
  call: Call,
): Promise<VendorStatementResult> {
  const period = { vendorId, knownAt, ...toReportPeriod(call, input) }
  const { from, to } = period
  const [vendor, balances, orders, bills, payments] = await Promise.all([
    findVendorName(call, vendorId),
    sumPostings(call, period),
    findOrders(call, period),
    findBills(call, period),
    findPayments(call, period),
  ])
  const { ordered, completed, opening, billed, settled, discounts, closing, paidInPeriod, ...retainage } = balances
  const credits = subtract(0, balances.credited)
  const paid = subtract(settled, discounts)
  const [orderRows, billRows, paymentRows] = [
    truncateRows(orders, MAX_LISTED),
    truncateRows(bills, MAX_LISTED),
    truncateRows(payments, MAX_LISTED),
  ]
  return {
    ...{ vendorId, vendor, from, to, opening, billed, credits, paid, discounts, closing },
    adjustments: sum([closing, -opening, -billed, credits, paid, discounts]),
    retainage: {
      ...{ opening: retainage.retainageBefore, withheld: retainage.withheld, released: retainage.released },
      adjustments: sum([retainage.retained, -retainage.retainageBefore, -retainage.withheld, retainage.released]),
      closing: retainage.retained,
    },
    ...{ bills: billRows.rows, orders: orderRows.rows, payments: paymentRows.rows },
    ...{ ordered, completed, paidInPeriod, retained: retainage.retained, payable: closing },
    ...createReportFooter(call, {
      truncated: [orderRows, billRows, paymentRows].some(({ truncated }) => truncated),
      unknown: selectSentences(await explainEarlyDate(call, from)),
    }),
    currency: call.currency,
  }
}

async function findVendorName({ db, organizationId }: Call, vendorId: string): Promise<string> {
  const { rows } = await sql<{ companyName: string }>`
    select "companyName" from "vendors" where "organizationId" = ${organizationId} and "id" = ${vendorId}`.execute(db)
  const [vendor] = rows
  if (vendor === undefined) throw notFound()
  return vendor.companyName
}

interface Balances {
  opening: number
  billed: number
  credited: number
  /** The amount that payments have settled, including discounts and withheld tax. */
  settled: number
  discounts: number
  closing: number
  retainageBefore: number
  withheld: number
  released: number
  retained: number
  ordered: number
  completed: number
  paidInPeriod: number
}

/**
 * Classifies the vendor's postings by the ledger entry to which they belong. An entry with several vendors, such as a
 * merge of two vendors, is neither a bill nor a payment. If closing an order recorded a payment, this payment has no
 * record of its own.
 */
async function sumPostings(call: Call, { vendorId, from, to, knownAt }: Period): Promise<Balances> {
  const conditions = toPostingConditions(call, { vendorId, to, knownAt })
  const { rows } = await sql<Balances>`
    with "posted" as materialized (
      select p.*, p."effectiveDate" >= ${from}::date as "isInPeriod" from "postings" p
      where ${sql.join(conditions, sql` and `)}
    ), "entries" as materialized (
      select "entryId", count(distinct "vendorId") > 1 as "isMove", bool_or("measure" = 'paid') as "isPayment"
      from "postings"
      where "organizationId" = ${call.organizationId}
        and "entryId" = any(array(select distinct "entryId" from "posted" where "isInPeriod"))
      group by "entryId"
    ), "classified" as materialized (
      select p."measure", p."amount", p."poId", p."isInPeriod",
        case when not p."isInPeriod" then 'before' when e."isMove" then 'adjustment'
          when p."paymentId" is not null or e."isPayment" then 'payment' when b."billType" = 'credit_memo' then 'credit'
          when p."billId" is not null then 'bill' else 'adjustment' end as "type"
      from "posted" p
      left join "entries" e on e."entryId" = p."entryId"
      left join "bills" b on b."organizationId" = p."organizationId" and b."id" = p."billId"
    )
    select ${sumOf('payable', 'before')} as "opening", ${sumOf('payable', 'bill')} as "billed",
      ${sumOf('payable', 'credit')} as "credited", -${sumOf('payable', 'payment')} as "settled",
      ${sumOf('discount', 'payment')} as "discounts", ${sumOf('payable')} as "closing",
      ${sumOf('retainage', 'before')} as "retainageBefore",
      ${sumOf('retainage', 'bill')} + ${sumOf('retainage', 'credit')} as "withheld",
      -${sumOf('retainage', 'payment')} as "released", ${sumOf('retainage')} as "retained",
      ${sumOf('commitment')} as "ordered", ${sumOf('paid', 'payment')} as "paidInPeriod",
      coalesce(sum("amount") filter (where "measure" = 'cost' and "poId" is not null), 0) as "completed"
    from "classified"`.execute(call.db)
  const [balances] = rows
  if (balances === undefined) throw new Error('Expected a sum over postings to have one row.')
  return balances
}

/** Returns the SQL for the sum of a measure over the classified postings, or over the postings of one type. */
function sumOf(measure: Measure, type?: 'before' | 'bill' | 'credit' | 'payment') {
  const ofType = type === undefined ? sql`true` : sql`"type" = ${sql.lit(type)}`
  return sql`coalesce(sum("amount") filter (where "measure" = ${sql.lit(measure)} and ${ofType}), 0)`
}

async function findOrders(call: Call, { vendorId, from, to, knownAt }: Period) {
  const { db, organizationId, timeZone } = call
  const conditions = toPostingConditions(call, { vendorId, to, knownAt })
  const { rows } = await sql<VendorStatementResult['orders'][number]>`
    with "balances" as materialized (
      select p."poId", ${sumOf('commitment')} as "total", ${sumOf('cost')} as "completed",
        coalesce(sum(p."amount") filter (where p."measure" in ('paid', 'discount', 'withheldTax')), 0) as "paid",
        ${sumOf('retainage')} as "retained", ${sumOf('payable')} as "payable"
      from "postings" p where ${sql.join(conditions, sql` and `)} and p."poId" is not null
      group by p."poId"
    )
    select h."id" as "homeId", h."name" || ', ' || c."name" as "home", o."id" as "poId", o."number", o."scope",
      o."status", b."total", b."completed", b."paid", b."retained", b."payable"
    from "balances" b
    join "purchaseOrders" o on o."organizationId" = ${organizationId} and o."id" = b."poId"
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where o."status" = any(${[...COMMITTED_STATUSES]}::text[])
      and (o."closedAt" is null or o."closedAt" >= ${from}::date::timestamp at time zone ${timeZone})
    order by o."id" desc limit ${MAX_LISTED + 1}`.execute(db)
  return rows
}

async function findBills(call: Call, { vendorId, from, to, knownAt }: Period) {
  const conditions = toPostingConditions(call, { vendorId, from, to, knownAt })
  const { rows } = await sql<VendorStatementResult['bills'][number]>`
    with "changes" as materialized (
      select p."billId", p."effectiveDate", ${sumOf('payable')} as "amount", ${sumOf('retainage')} as "retainage"
      from "postings" p
      where ${sql.join(conditions, sql` and `)} and p."billId" is not null and p."paymentId" is null
        and p."measure" in ('payable', 'retainage')
      group by p."billId", p."effectiveDate", p."entryId"
    )
    select b."id" as "billId", b."number", b."invoiceNumber", c."effectiveDate" as "postingDate", b."dueDate", c."amount",
      c."retainage"
    from "changes" c join "bills" b on b."organizationId" = ${call.organizationId} and b."id" = c."billId"
    where c."amount" <> 0 or c."retainage" <> 0
    order by c."effectiveDate" desc, b."id" desc limit ${MAX_LISTED + 1}`.execute(call.db)
  return rows
}

async function findPayments(call: Call, { vendorId, from, to, knownAt }: Period) {
  const conditions = toPostingConditions(call, { vendorId, from, to, knownAt, measure: 'paid' })
  const { rows } = await sql<VendorStatementResult['payments'][number]>`
    with "changes" as materialized (
      select p."paymentId", p."effectiveDate", sum(p."amount") as "amount" from "postings" p
      where ${sql.join(conditions, sql` and `)} and p."paymentId" is not null
      group by p."paymentId", p."effectiveDate", p."entryId"
    )
    select p."id" as "paymentId", p."number", p."invoiceNumber", c."effectiveDate" as "paidDate", c."amount"
    from "changes" c join "payments" p on p."organizationId" = ${call.organizationId} and p."id" = c."paymentId"
    order by c."effectiveDate" desc, p."id" desc limit ${MAX_LISTED + 1}`.execute(call.db)
  return rows
}
