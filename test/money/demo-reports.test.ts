import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemo } from '../../server/operators/demo/create-demo.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import type { Body } from './builder.ts'
import { expectBalancedLedger } from './expect-balanced-ledger.ts'

/**
 * Recomputes the figures of every report for the demo builder's year with separate SQL. The reports read the ledger,
 * and this SQL reads the orders, bills, payments, timesheets, budgets, and sales. Each query must return rows, so that
 * no test compares two empty results.
 */
let plumbline: TestPlumbline
let demo: { organizationId: string; key: string }
let today: string
let year: number
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  demo = await createDemo(plumbline.database, plumbline.config)
  const { body } = await plumbline.get('/api/ext/ledger/balances', { key: demo.key })
  today = body.asOf
  year = Number(today.slice(0, 4))
})
afterAll(() => plumbline.stop())

async function report(skill: string, input: object = {}): Promise<Body> {
  const { status, body } = await plumbline.post('/api/ext/execute', { skill, input }, { key: demo.key })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.result.truncated ?? false).toBe(false)
  return body.result
}

async function query<Row>(statement: RawBuilder<Row>): Promise<Row[]> {
  return (await statement.execute(plumbline.database.statements)).rows
}

/** Asserts that the rows of a report have the same figures as the computed rows, in any order. */
function expectSame(rows: readonly Body[], computed: readonly object[], key: string): void {
  expect(computed.length).toBeGreaterThan(0)
  const [first = {}] = computed
  const pick = (row: Body) => Object.fromEntries(Object.keys(first).map((field) => [field, row[field]]))
  const sort = (some: readonly Body[]) => some.toSorted((one, other) => (one[key] < other[key] ? -1 : 1))
  expect(sort(rows.map(pick))).toEqual(sort([...computed]))
}

const of = () => sql`${demo.organizationId}`
const COMMITTED = sql`('approved', 'issued', 'accepted', 'partially_completed', 'completed', 'closed')`
const PENDING = sql`('draft', 'pending_approval')`
const APPROVED = sql`('approved', 'partially_paid', 'paid')`

/** SQL for the cost of all homes by trade: work and stored materials of orders, labor, and bills without an order. */
const costs = () => sql`
  select o."homeId", lower(o."scope") as "trade", o."completedAmount" + o."storedAmount" as "amount", false as "isUnordered"
  from "purchaseOrders" o where o."organizationId" = ${of()} and o."status" <> 'void'
  union all
  select t."homeId", lower(coalesce(t."scope", '')), t."cost", true from "timeEntries" t
  where t."organizationId" = ${of()} and t."postedAt" is not null and t."homeId" is not null
  union all
  select l."homeId", '', l."amount", true from "billLines" l
  join "bills" b on b."organizationId" = l."organizationId" and b."id" = l."billId" and b."status" in ${APPROVED}
  where l."organizationId" = ${of()} and l."poId" is null
  union all
  select p."homeId", lower(coalesce(p."scope", '')), p."amount", true from "postings" p
  join "journals" j on j."organizationId" = p."organizationId" and j."id" = p."entryId"
  where p."organizationId" = ${of()} and p."measure" = 'cost'`

/** SQL for the price of each sale under contract. */
const contracts = () => sql`
  select s."id" as "saleId", s."number", s."homeId", s."revenueMethod", s."approvedAt",
    s."basePrice" + s."lotPremium" - s."incentives" - s."discounts" + case when s."homeId" is null then s."optionsFixed"
      else coalesce((
        select sum(c."difference") from "selections" c
        where c."organizationId" = s."organizationId" and c."homeId" = s."homeId"
          and c."status" in ('approved', 'ordered', 'installed')), 0) end as "price"
  from "sales" s
  where s."organizationId" = ${of()} and s."status" in ('approved', 'pipeline_complete')`

test('the ledger of the demo builder balances, and agrees with its records', async () => {
  await expectBalancedLedger(plumbline, demo.organizationId)
})

test('job cost balances by home match the costs in the records', async () => {
  const computed = await query(sql<{ id: string; cost: number }>`
    select "homeId" as "id", sum("amount") as "cost" from (${costs()}) as c
    group by 1 having sum("amount") <> 0`)
  const { body } = await plumbline.get('/api/ext/ledger/balances?groupBy=home&limit=200', { key: demo.key })
  const rows = body.balances.map(({ id, amounts }: Body) => ({ id, cost: amounts.cost }))
  expectSame(
    rows.filter(({ cost }: Body) => cost !== 0),
    computed,
    'id',
  )
  for (const { id, cost } of computed) {
    const { body: ledger } = await plumbline.get(`/api/ext/homes/${id}/ledger?limit=1`, { key: demo.key })
    expect(ledger.closing).toBe(cost)
  }
})

test('wipReport matches the contracts, costs, and billings in the records', async () => {
  const { homes, atClosing, total } = await report('wipReport')
  const byHome = sql`
    select h."id" as "homeId", h."closingDate", k."price" as "contract", k."revenueMethod",
      coalesce((select sum("amount") from (${costs()}) as c where c."homeId" = h."id"), 0) as "costToDate",
      coalesce((select sum(o."storedAmount") from "purchaseOrders" o
        where o."organizationId" = ${of()} and o."homeId" = h."id" and o."status" <> 'void'), 0) as "stored",
      (select coalesce(sum(greatest(s."budget", s."ordered" + s."unordered")), 0) from (
        select coalesce(b."trade", o."trade", u."trade") as "trade", coalesce(b."amount", 0) as "budget",
          coalesce(o."amount", 0) as "ordered", coalesce(u."amount", 0) as "unordered"
        from (select lower("scope") as "trade", sum("budgeted") as "amount" from "budgetLines"
          where "organizationId" = ${of()} and "homeId" = h."id" and "archivedAt" is null group by 1) as b
        full join (select lower("scope") as "trade", sum("total") as "amount" from "purchaseOrders"
          where "organizationId" = ${of()} and "homeId" = h."id" and ("status" in ${COMMITTED} or "status" in ${PENDING})
          group by 1) as o on o."trade" = b."trade"
        full join (select "trade", sum("amount") as "amount" from (${costs()}) as c
          where c."homeId" = h."id" and c."isUnordered" group by 1) as u on u."trade" = coalesce(b."trade", o."trade")
      ) as s) as "estimatedCost",
      coalesce((select sum(a."billedAmount") from "applications" a
        where a."organizationId" = ${of()} and a."saleId" = k."saleId" and a."status" in ('certified', 'partially_paid', 'paid')), 0) as "billed",
      coalesce((select s."depositsReceived" from "sales" s
        where s."organizationId" = ${of()} and s."id" = k."saleId"), 0) as "deposits"
    from "homes" h left join (${contracts()}) as k on k."homeId" = h."id"
    where h."organizationId" = ${of()} and h."status" <> 'cancelled'`
  // PostgreSQL rounds numerics half away from zero, as the reports do.
  const overTime = await query(sql<Body>`
    select "homeId", "contract", "estimatedCost", "costToDate", "stored" as "uninstalledMaterials", "billed", "deposits",
      "earned", "billed" - "earned" as "overUnder"
    from (
      select *, case when "estimatedCost" - "stored" <= 0 or "costToDate" - "stored" <= 0 then "stored" else
        round(("contract" - "stored") * least(1, ("costToDate" - "stored") / ("estimatedCost" - "stored")) + "stored", 2) end as "earned"
      from (${byHome}) as w
    ) as w
    where "revenueMethod" = 'over_time' and coalesce("closingDate", 'infinity') > ${today}::date`)
  expectSame(homes, overTime, 'homeId')
  expect(total.earned).toBeCloseTo(
    overTime.reduce((sum, { earned }) => sum + earned, 0),
    5,
  )
  const closing = await query(sql<Body>`
    select "homeId", "contract", "costToDate",
      case when coalesce("closingDate", 'infinity') > ${today}::date then 0 else coalesce("contract", 0) end as "revenue",
      case when coalesce("closingDate", 'infinity') > ${today}::date then "costToDate" else 0 end as "inventory"
    from (${byHome}) as w
    where "revenueMethod" is distinct from 'over_time' and coalesce("closingDate", 'infinity') >= ${`${year}-01-01`}::date`)
  expectSame(atClosing, closing, 'homeId')
})

test('marginReport matches the prices, orders, and costs in the records', async () => {
  const { homes, margin } = await report('marginReport')
  const computed = await query(sql<Body>`
    select "homeId", "price", "cost", "price" - "cost" as "margin", "closingDate" from (
      select h."id" as "homeId", h."closingDate", k."price",
        coalesce((select sum(o."total") from "purchaseOrders" o
          where o."organizationId" = ${of()} and o."homeId" = h."id" and o."status" in ${COMMITTED}), 0)
        + coalesce((select sum(c."amount") from (${costs()}) as c where c."homeId" = h."id" and c."isUnordered"), 0) as "cost"
      from "homes" h join (${contracts()}) as k on k."homeId" = h."id"
      where h."organizationId" = ${of()} and h."closingDate" between ${`${year}-01-01`}::date and ${today}::date
    ) as m`)
  expectSame(homes, computed, 'homeId')
  expect(margin).toBeCloseTo(
    computed.reduce((sum, row) => sum + row.margin, 0),
    5,
  )
})

test('apAging matches the open bills, retainage, and unbilled work in the records', async () => {
  const { vendors, total } = await report('apAging')
  const bucket = (from: number | null, to: number | null) => sql`
    coalesce(sum(p."open") filter (where ${from === null ? sql`true` : sql`${today}::date - p."dueDate" >= ${from}::integer`}
      and ${to === null ? sql`true` : sql`${today}::date - p."dueDate" <= ${to}::integer`}), 0)`
  const computed = await query(sql<Body>`
    with "parts" as (
      select b."vendorId", b."dueDate", b."openAmount" as "open", 0 as "retainage", 0 as "unbilled", 0 as "prepaid"
      from "bills" b where b."organizationId" = ${of()} and b."status" in ${APPROVED}
      union all
      select o."vendorId", null, 0, o."retainedAmount", o."unbilledAmount", o."payableAmount" - coalesce((
        select sum(x."grossAmount" - x."retainageWithheld" - x."appliedAmount") from "billOrders" x
        join "bills" b on b."organizationId" = x."organizationId" and b."id" = x."billId" and b."status" in ${APPROVED}
        where x."organizationId" = o."organizationId" and x."poId" = o."id"), 0) + coalesce((
        select sum(a."amount" - a."retainageWithheld") from "paymentAllocations" a
        join "payments" p on p."organizationId" = a."organizationId" and p."id" = a."paymentId" and p."status" = 'paid'
        where a."organizationId" = o."organizationId" and a."poId" = o."id" and a."billId" is not null), 0)
      from "purchaseOrders" o where o."organizationId" = ${of()} and o."status" in ${COMMITTED}
    )
    select p."vendorId", ${bucket(null, 0)} as "current", ${bucket(1, 30)} as "days1To30", ${bucket(31, 60)} as "days31To60",
      ${bucket(61, 90)} as "days61To90", ${bucket(91, null)} as "over90Days", sum(p."prepaid") as "unapplied",
      sum(p."open" + p."prepaid") as "total", sum(p."retainage") as "retainage", sum(p."unbilled") as "unbilled"
    from "parts" p group by p."vendorId"
    having bool_or(p."open" <> 0 or p."retainage" <> 0 or p."unbilled" <> 0 or p."prepaid" <> 0)`)
  expectSame(vendors, computed, 'vendorId')
  for (const field of ['total', 'retainage', 'unbilled', 'over90Days'])
    expect(total[field]).toBeCloseTo(
      computed.reduce((sum, row) => sum + row[field], 0),
      5,
    )
})

test('vendorStatement matches the bills and payments of each vendor', async () => {
  const computed = await query(sql<Body & { vendorId: string }>`
    select v."id" as "vendorId",
      coalesce((select sum(b."amount") from "bills" b where b."organizationId" = v."organizationId" and b."vendorId" = v."id"
        and b."status" in ${APPROVED} and b."billType" = 'invoice'), 0) as "billed",
      coalesce((select - sum(b."amount") from "bills" b where b."organizationId" = v."organizationId" and b."vendorId" = v."id"
        and b."status" in ${APPROVED} and b."billType" = 'credit_memo'), 0) as "credits",
      coalesce((select sum(p."amount" + p."backupWithheld") from "payments" p where p."organizationId" = v."organizationId"
        and p."vendorId" = v."id" and p."status" = 'paid' and p."paymentType" <> 'retainage_release'), 0) as "paid",
      coalesce((select sum(p."discountTaken") from "payments" p where p."organizationId" = v."organizationId"
        and p."vendorId" = v."id" and p."status" = 'paid'), 0) as "discounts",
      coalesce((select sum(o."payableAmount") from "purchaseOrders" o where o."organizationId" = v."organizationId"
        and o."vendorId" = v."id"), 0)
      + coalesce((select sum(b."openAmount") from "bills" b where b."organizationId" = v."organizationId"
        and b."vendorId" = v."id" and not exists (select from "billOrders" x
          where x."organizationId" = b."organizationId" and x."billId" = b."id")), 0) as "closing",
      coalesce((select sum(o."retainedAmount") from "purchaseOrders" o where o."organizationId" = v."organizationId"
        and o."vendorId" = v."id"), 0) as "retained"
    from "vendors" v
    where v."organizationId" = ${of()} and exists (select from "bills" b
      where b."organizationId" = v."organizationId" and b."vendorId" = v."id" and b."status" in ${APPROVED})`)
  expect(computed.length).toBeGreaterThan(0)
  for (const { vendorId, ...figures } of computed) {
    const statement = await report('vendorStatement', { vendorId, from: '2000-01-01' })
    expect(statement, vendorId).toMatchObject({ ...figures, opening: 0 })
    const { billed, credits, paid, discounts, adjustments, closing } = statement
    expect(billed - credits - paid - discounts + adjustments).toBeCloseTo(closing, 5)
  }
})

test('retainageSummary matches the retainage on bills less released retainage', async () => {
  const { vendors, withheld } = await report('retainageSummary')
  const computed = await query(sql<Body>`
    select "vendorId", sum("amount") as "withheld",
      coalesce(sum("amount") filter (where "isDone"), 0) as "releasable" from (
      select o."vendorId", h."status" in ('completed', 'closed', 'warranty') as "isDone", x."retainageWithheld" as "amount"
      from "billOrders" x
      join "bills" b on b."organizationId" = x."organizationId" and b."id" = x."billId" and b."status" in ${APPROVED}
      join "purchaseOrders" o on o."organizationId" = x."organizationId" and o."id" = x."poId" and o."status" <> 'closed'
      join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where x."organizationId" = ${of()}
      union all
      select o."vendorId", h."status" in ('completed', 'closed', 'warranty'), - a."amount" from "paymentAllocations" a
      join "payments" p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        and p."status" = 'paid' and p."paymentType" = 'retainage_release'
      join "purchaseOrders" o on o."organizationId" = a."organizationId" and o."id" = a."poId" and o."status" <> 'closed'
      join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
      where a."organizationId" = ${of()}
    ) as r
    group by "vendorId" having sum("amount") <> 0`)
  expectSame(
    vendors.filter((vendor: Body) => vendor.withheld !== 0),
    computed,
    'vendorId',
  )
  expect(withheld).toBeCloseTo(
    computed.reduce((sum, row) => sum + row.withheld, 0),
    5,
  )
})

test('budgetVsActual matches the budgets, orders, and costs of each home', async () => {
  const homes = await query(sql<Body>`
    select h."id",
      coalesce((select sum(b."budgeted") from "budgetLines" b where b."organizationId" = h."organizationId"
        and b."homeId" = h."id" and b."archivedAt" is null), 0) as "budgeted",
      coalesce((select sum(o."total") from "purchaseOrders" o where o."organizationId" = h."organizationId"
        and o."homeId" = h."id" and o."status" in ${COMMITTED}), 0) as "committed",
      coalesce((select sum(c."amount") from (${costs()}) as c where c."homeId" = h."id"), 0) as "actual",
      coalesce((select sum(o."paidAmount") from "purchaseOrders" o where o."organizationId" = h."organizationId"
        and o."homeId" = h."id" and o."status" <> 'void'), 0) as "paid"
    from "homes" h where h."organizationId" = ${of()} and h."status" <> 'cancelled'`)
  expect(homes.filter(({ actual }) => actual > 0).length).toBeGreaterThan(0)
  for (const { id, ...figures } of homes) {
    const { total, rows } = await report('budgetVsActual', { homeId: id })
    expect(total, id).toMatchObject(figures)
    const trades = await query(sql<Body>`
      select lower("scope") as "trade", sum("total") as "committed" from "purchaseOrders"
      where "organizationId" = ${of()} and "homeId" = ${id} and "status" in ${COMMITTED} group by 1`)
    for (const { trade, committed } of trades)
      expect(rows.find(({ name }: Body) => name.toLowerCase() === trade)).toMatchObject({ committed })
  }
})

test('backlogReport matches the sales under contract whose homes are not closed', async () => {
  const { sales, count, value } = await report('backlogReport')
  const computed = await query(sql<Body>`
    select k."saleId", k."number", k."price" from (${contracts()}) as k
    left join "homes" h on h."organizationId" = ${of()} and h."id" = k."homeId"
    join "sales" s on s."organizationId" = ${of()} and s."id" = k."saleId"
    where k."price" <> 0
      and case when h."id" is null then s."status" = 'approved' else coalesce(h."closingDate", 'infinity') > ${today}::date end`)
  expectSame(sales, computed, 'saleId')
  expect([count, value]).toEqual([computed.length, computed.reduce((sum, { price }) => sum + price, 0)])
})

test('cashFlowForecast includes pending payments, open bills, and the remaining amounts of all orders', async () => {
  const forecast = await report('cashFlowForecast', { weeks: 52 })
  const total = (kind: string) => forecast.weeks.reduce((sum: number, week: Body) => sum + week[kind], 0)
  const [pending] = await query(sql<{ amount: number }>`
    select coalesce(sum(a."amount" - a."retainageWithheld"), 0) as "amount" from "paymentAllocations" a
    join "payments" p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${of()} and p."status" in ('pending', 'approved')`)
  expect(total('payments')).toBeCloseTo(pending?.amount ?? 0, 5)
  // The amount owed for an order is its total minus the amount paid. A backcharge reduces it.
  const [open] = await query(sql<{ amount: number }>`
    select coalesce(sum("total" - "paidAmount"), 0) as "amount" from "purchaseOrders"
    where "organizationId" = ${of()} and "status" in ('issued', 'accepted', 'partially_completed', 'completed', 'approved')`)
  const [inflow] = await query(sql<{ amount: number }>`
    select coalesce(sum("price" - "received"), 0) as "amount" from (
      select k."price", s."depositsReceived" + coalesce((
        select sum(d."fundedAmount") from "loanDraws" d
        where d."organizationId" = ${of()} and d."homeId" = s."homeId" and d."status" = 'funded'), 0) as "received"
      from (${contracts()}) as k
      join "sales" s on s."organizationId" = ${of()} and s."id" = k."saleId"
      left join "homes" h on h."organizationId" = ${of()} and h."id" = k."homeId"
      where case when h."id" is null then s."status" = 'approved' else h."closingDate" is null end
    ) as s`)
  const net = total('in') - total('out') + forecast.later + forecast.undated
  expect(net).toBeCloseTo((inflow?.amount ?? 0) - (open?.amount ?? 0), 2)
})

test('purchaseForecast matches the budgeted parts of open trades less the ordered parts', async () => {
  const weeks = 26
  const { parts } = await report('purchaseForecast', { weeks })
  const computed = await query(sql<Body>`
    with "starts" as (
      select t."homeId", lower(t."scope") as "trade", min(t."plannedStart") as "day" from "tasks" t
      where t."organizationId" = ${of()} and t."archivedAt" is null and t."scope" is not null
        and t."status" not in ('completed', 'skipped', 'cancelled')
      group by 1, 2
    ), "needs" as (
      select s."homeId", b."partId", greatest(s."day", ${today}::date) as "day", sum(b."quantity") as "quantity"
      from "starts" s
      join "homes" h on h."organizationId" = ${of()} and h."id" = s."homeId"
        and h."status" not in ('closed', 'warranty', 'archived', 'cancelled')
      join "budgetLines" b on b."organizationId" = ${of()} and b."homeId" = s."homeId" and lower(b."scope") = s."trade"
        and b."archivedAt" is null and b."partId" is not null
      where s."day" < ${today}::date + 7 * ${weeks}::integer
      group by 1, 2, 3 having sum(b."quantity") > 0
    )
    select n."partId", sum(n."quantity") as "needed" from "needs" n group by 1`)
  const totals = [...Map.groupBy<string, Body>(parts, ({ partId }: Body) => partId)].map(([partId, rows]) => ({
    partId,
    needed: Number(rows.reduce((sum, { needed }) => sum + needed, 0).toFixed(6)),
  }))
  expectSame(
    totals,
    computed.map(({ partId, needed }) => ({ partId, needed: Number(needed.toFixed(6)) })),
    'partId',
  )
  for (const { needed, ordered, toOrder } of parts) expect(ordered + toOrder).toBeCloseTo(needed, 6)
})

test('the totals of Form 1099 match the payments of the year', async () => {
  const computed = await query(sql<Body>`
    select p."vendorId", sum(p."amount" + p."backupWithheld") as "paid", count(*)::integer as "payments",
      sum(p."backupWithheld") as "backupWithheld"
    from "payments" p join "vendors" v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
    where p."organizationId" = ${of()} and p."status" = 'paid' and p."method" <> 'card' and v."is1099"
      and v."reportingBox" <> 'none' and extract(year from p."paidDate") = ${year}::integer
    group by p."vendorId"
    having sum(p."amount" + p."backupWithheld") >= case ${year}::integer when 2025 then 600 else 2000 end`)
  const { body } = await plumbline.get(`/api/ext/accounting/tax-totals?year=${year}&limit=200`, { key: demo.key })
  expectSame(body.vendors, computed, 'vendorId')
  expect(body.total).toBeCloseTo(
    computed.reduce((sum, { paid }) => sum + paid, 0),
    5,
  )
})
