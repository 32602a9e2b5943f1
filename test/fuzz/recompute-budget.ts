import { sql } from 'kysely'
import type { Db } from '../../server/platform/database/database.ts'

/**
 * A figure in a home's budget, computed with SQL that shares nothing with the service's statement: one simple aggregate
 * for each figure and level. The figures of trades and totals come from whole orders. Only the figures of cost codes
 * come from order lines.
 */
export interface Figure {
  figure: string
  /** The trade in lowercase; empty in the totals. */
  scope: string
  /** The ID of the cost code. Empty in trades and totals, and if there is no cost code. */
  code: string
  amount: number
}

export interface RecomputedBudget {
  totals: Figure[]
  scopes: Figure[]
  codes: Figure[]
  /** The approved time in the actual cost, by trade and cost code. */
  labor: Figure[]
  /** The net amount that was transferred to each budget line. */
  transferred: { lineId: string; amount: number }[]
}

const STATUSES = {
  committed: ['approved', 'issued', 'accepted', 'partially_completed', 'completed', 'closed'],
  pendingCommitted: ['draft', 'pending_approval'],
}
/** The columns in which orders store their amounts. */
const RECORDED = { actual: 'completedAmount', paid: 'paidAmount', retained: 'retainedAmount' }
const BUDGETED = {
  budgeted: '"originalAmount" + "approvedChanges"',
  originalBudgeted: '"originalAmount"',
  approvedChanges: '"approvedChanges"',
}
const COUNTED = toSqlList([...STATUSES.committed, ...STATUSES.pendingCommitted])

function toSqlList(statuses: readonly string[]): string {
  return statuses.map((status) => `'${status}'`).join(', ')
}

// SQL for the cost of time. The paid hours of a week are multiplied by their rate, and the product is rounded once. The
// cost of an entry is the difference that it makes to the rounded sum of the earlier entries with the same rate.
const TIME = `(
  select w."scope", w."costCodeId", 'closed' as "status", round(w."rate" * w."sum", 2) - round(w."rate" * (w."sum" - w."paid"), 2) as "total"
  from (
    select p.*, sum(p."paid") over (partition by p."timesheetId", p."rate" order by p."date", p."startedAt" nulls last, p."id") as "sum"
    from (
      select e."id", e."homeId", e."timesheetId", e."date", e."startedAt", e."costCodeId",
        coalesce(e."scope", 'unassigned') as "scope", coalesce(e."rate", s."rate") as "rate",
        case e."payType" when 'double' then 2 * e."hours"
          else e."hours" - e."overtimeHours" + e."overtimeHours" * (s."overtimeRule" ->> 'multiplier')::numeric end as "paid"
      from "timeEntries" e join "timesheets" s on s."id" = e."timesheetId"
      where e."archivedAt" is null and e."hours" is not null and s."status" in ('approved', 'exported')
    ) as p where p."rate" is not null
  ) as w where w."homeId" = $home)`

/** Returns the columns by which a level is grouped: the trade, the cost code, or both. */
function levelColumns({ scope, code }: { scope: boolean; code: boolean }) {
  const names = `${scope ? 'lower(r."scope")' : "''"} as "scope", ${code ? `coalesce(r."costCodeId", '')` : "''"} as "code"`
  const lines = '(select * from "budgetLines" where "homeId" = $home and "archivedAt" is null)'
  const orders = code
    ? `(select o."scope", o."status", l."costCodeId", l."total" + l."taxAmount" as "total" from "purchaseOrders" o
        join "purchaseOrderLines" l on l."purchaseOrderId" = o."id" where o."homeId" = $home)`
    : '(select * from "purchaseOrders" where "homeId" = $home)'
  const figures = [
    ...Object.entries(BUDGETED).map(([figure, amount]) => ({ figure, from: lines, amount, where: 'true' })),
    ...Object.entries(STATUSES).map(([figure, statuses]) => ({
      ...{ figure, from: orders, amount: '"total"', where: `"status" in (${toSqlList(statuses)})` },
    })),
    ...Object.entries(RECORDED).map(([figure, amount]) => ({
      ...{ figure, from: code ? RECORDED_BY_LINE : orders, amount: `"${amount}"`, where: `"status" in (${COUNTED})` },
      ...(figure === 'actual' && { from: addTime(code ? RECORDED_BY_LINE : orders, code) }),
    })),
  ]
  return figures
    .map(
      ({ figure, from, amount, where }) =>
        `select '${figure}' as "figure", ${names}, sum(${amount}) as "amount" from ${from} r where ${where} group by 2, 3`,
    )
    .join('\nunion all\n')
}

/** Returns SQL for the completed amounts of the orders or of their lines, plus time. */
function addTime(orders: string, code: boolean): string {
  const columns = ['"scope"', '"status"', ...(code ? ['"costCodeId"'] : [])].join(', ')
  return `(select ${columns}, "completedAmount" from ${orders} o union all select ${columns}, "total" from ${TIME} t)`
}

// SQL for the amounts of order lines. The retainage of a line is the sum of the retainage of its bill lines. The completed
// amount of the first credit is the amount by which the other lines exceed the total. A closed order is paid in full.
const RECORDED_BY_LINE = `(
  select d.*, case when "status" = 'closed' then "completedAmount" else 0 end as "paidAmount" from (
    select o."scope", o."status", l."costCodeId",
      l."completedAmount" + case when l."position" = (select min(u."position") from "purchaseOrderLines" u
          where u."purchaseOrderId" = o."id" and (u."total" < 0) <> (o."total" < 0))
        then o."completedAmount" - s."done" else 0 end as "completedAmount",
      case when o."status" = 'closed' then 0 else coalesce((
        select sum(w."retainageWithheld") from "billLines" w join "bills" b on b."id" = w."billId"
        where w."poId" = o."id" and w."poLineId" = l."lineId" and b."status" in ('approved', 'partially_paid', 'paid')), 0)
        end as "retainedAmount"
    from "purchaseOrders" o join "purchaseOrderLines" l on l."purchaseOrderId" = o."id"
    cross join lateral (
      select sum(u."completedAmount") as "done" from "purchaseOrderLines" u where u."purchaseOrderId" = o."id") s
    where o."homeId" = $home) d)`

// SQL for two figures of a trade: the larger of the budget and the orders plus labor, and the uncommitted part of the
// budget.
const FORECASTS = `
  select s."scope",
    (select coalesce(sum("originalAmount" + "approvedChanges"), 0) from "budgetLines"
      where "homeId" = $home and "archivedAt" is null and lower("scope") = s."scope") as "budgeted",
    (select coalesce(sum("total"), 0) from "purchaseOrders"
      where "homeId" = $home and "status" in (${COUNTED}) and lower("scope") = s."scope")
    + (select coalesce(sum("total"), 0) from ${TIME} t where lower("scope") = s."scope") as "ordered"
  from (
    select lower("scope") as "scope" from "budgetLines" where "homeId" = $home and "archivedAt" is null
    union select lower("scope") from "purchaseOrders" where "homeId" = $home and "status" in (${COUNTED})
    union select lower("scope") from ${TIME} t
  ) s`
const FORECAST = `select 'forecastAtCompletion' as "figure", "scope", '' as "code", greatest("budgeted", "ordered") as "amount" from (${FORECASTS}) f`
const TOTAL_FORECAST = `select 'forecastAtCompletion', '', '', sum("amount") from (${FORECAST}) t`
const TRANSFERRED = `
  select b."id" as "lineId",
    (select coalesce(sum("amount"), 0) from "budgetTransfers" where "toLineId" = b."id")
    - (select coalesce(sum("amount"), 0) from "budgetTransfers" where "fromLineId" = b."id") as "amount"
  from "budgetLines" b where b."homeId" = $home and b."archivedAt" is null`

const STATEMENTS = {
  totals: `${levelColumns({ scope: false, code: false })} union all ${TOTAL_FORECAST}`,
  scopes: `${levelColumns({ scope: true, code: false })} union all ${FORECAST}`,
  codes: levelColumns({ scope: true, code: true }),
  labor: `select 'labor' as "figure", lower("scope") as "scope", coalesce("costCodeId", '') as "code", sum("total") as "amount"
    from ${TIME} t group by 2, 3`,
  transferred: TRANSFERRED,
}

const TABLES = [
  ...['budgetLines', 'budgetTransfers', 'purchaseOrders', 'purchaseOrderLines', 'bills', 'billLines'],
  ...['timesheets', 'timeEntries'],
]

export async function recomputeBudget(db: Db, organizationId: string, homeId: string): Promise<RecomputedBudget> {
  // In the statement, the name of each table stands for its rows of the organization. A distributed database needs the
  // organization of every table.
  const own = TABLES.map(
    (table) =>
      sql`${sql.id(table)} as (select * from ${sql.id('public', table)} where "organizationId" = ${organizationId})`,
  )
  async function rows<R>(statement: string): Promise<R[]> {
    if (!/^\w+$/.test(homeId)) throw new Error(`${homeId} is no id.`)
    const text = sql.raw(statement.replaceAll('$home', `'${homeId}'`))
    return (await sql<R>`with ${sql.join(own)} ${text}`.execute(db)).rows
  }
  return {
    totals: await rows(STATEMENTS.totals),
    scopes: await rows(STATEMENTS.scopes),
    codes: await rows(STATEMENTS.codes),
    labor: await rows(STATEMENTS.labor),
    transferred: await rows(STATEMENTS.transferred),
  }
}
