import { sql } from 'kysely'
import type { Db } from '../../server/database/database.ts'

/**
 * The figures of a home's budget by SQL of its own, one plain aggregate for each figure and level, which shares nothing
 * with the service's statement: scopes and totals are computed from whole orders, and only cost codes from their lines.
 */
export interface Figure {
  figure: string
  /** The trade in lower case; empty in the totals. */
  scope: string
  /** The id of the cost code; empty where there is none, and in scopes and totals. */
  code: string
  amount: number
}

export interface Recomputed {
  totals: Figure[]
  scopes: Figure[]
  codes: Figure[]
  /** What was transferred to each budget line, less what was transferred from it. */
  transferred: { lineId: string; amount: number }[]
}

const STATUSES = {
  committed: ['approved', 'issued', 'accepted', 'partially_completed', 'completed', 'closed'],
  pendingCommitted: ['draft', 'pending_approval'],
  actual: ['completed', 'closed'],
  paid: ['closed'],
}
const BUDGETED = {
  budgeted: '"originalAmount" + "approvedChanges"',
  originalBudgeted: '"originalAmount"',
  approvedChanges: '"approvedChanges"',
}
const COUNTED = list([...STATUSES.committed, ...STATUSES.pendingCommitted])

function list(statuses: readonly string[]): string {
  return statuses.map((status) => `'${status}'`).join(', ')
}

/** Columns for the trade and the code, in what a level is grouped by. */
function level({ scope, code }: { scope: boolean; code: boolean }) {
  const names = `${scope ? 'lower(r."scope")' : "''"} as "scope", ${code ? `coalesce(r."costCodeId", '')` : "''"} as "code"`
  const lines = '(select * from "budgetLines" where "homeId" = $home and "archivedAt" is null)'
  const orders = code
    ? `(select o."scope", o."status", l."costCodeId", l."total" + l."taxAmount" as "total" from "purchaseOrders" o
        join "purchaseOrderLines" l on l."purchaseOrderId" = o."id" where o."homeId" = $home)`
    : '(select * from "purchaseOrders" where "homeId" = $home)'
  const figures = [
    ...Object.entries(BUDGETED).map(([figure, amount]) => ({ figure, from: lines, amount, where: 'true' })),
    ...Object.entries(STATUSES).map(([figure, statuses]) => ({
      ...{ figure, from: orders, amount: '"total"', where: `"status" in (${list(statuses)})` },
    })),
    {
      figure: 'retained',
      from: code ? HELD_BY_LINE : orders,
      amount: '"retainedAmount"',
      where: `"status" = 'completed'`,
    },
  ]
  return figures
    .map(
      ({ figure, from, amount, where }) =>
        `select '${figure}' as "figure", ${names}, sum(${amount}) as "amount" from ${from} r where ${where} group by 2, 3`,
    )
    .join('\nunion all\n')
}

// What the lines up to this one hold back together, less what the lines before it do.
const HELD_BY_LINE = `(
  select o."scope", o."status", l."costCodeId",
    round(o."retainagePercent" / 100 * (select sum(u."total" + u."taxAmount") from "purchaseOrderLines" u
      where u."purchaseOrderId" = o."id" and u."position" <= l."position"), 2)
    - round(o."retainagePercent" / 100 * (select coalesce(sum(u."total" + u."taxAmount"), 0) from "purchaseOrderLines" u
      where u."purchaseOrderId" = o."id" and u."position" < l."position"), 2) as "retainedAmount"
  from "purchaseOrders" o join "purchaseOrderLines" l on l."purchaseOrderId" = o."id"
  where o."homeId" = $home)`

// Both are by scope: the larger of what is budgeted and what is ordered, and what is budgeted and not committed.
const FORECASTS = `
  select s."scope",
    (select coalesce(sum("originalAmount" + "approvedChanges"), 0) from "budgetLines"
      where "homeId" = $home and "archivedAt" is null and lower("scope") = s."scope") as "budgeted",
    (select coalesce(sum("total"), 0) from "purchaseOrders"
      where "homeId" = $home and "status" in (${COUNTED}) and lower("scope") = s."scope") as "ordered"
  from (
    select lower("scope") as "scope" from "budgetLines" where "homeId" = $home and "archivedAt" is null
    union select lower("scope") from "purchaseOrders" where "homeId" = $home and "status" in (${COUNTED})
  ) s`
const FORECAST = `select 'forecastAtCompletion' as "figure", "scope", '' as "code", greatest("budgeted", "ordered") as "amount" from (${FORECASTS}) f`
const TOTAL_FORECAST = `select 'forecastAtCompletion', '', '', sum("amount") from (${FORECAST}) t`
const TRANSFERRED = `
  select b."id" as "lineId",
    (select coalesce(sum("amount"), 0) from "budgetTransfers" where "toLineId" = b."id")
    - (select coalesce(sum("amount"), 0) from "budgetTransfers" where "fromLineId" = b."id") as "amount"
  from "budgetLines" b where b."homeId" = $home and b."archivedAt" is null`

const STATEMENTS = {
  totals: `${level({ scope: false, code: false })} union all ${TOTAL_FORECAST}`,
  scopes: `${level({ scope: true, code: false })} union all ${FORECAST}`,
  codes: level({ scope: true, code: true }),
  transferred: TRANSFERRED,
}

export async function recomputedBudget(db: Db, homeId: string): Promise<Recomputed> {
  async function rows<R>(statement: string): Promise<R[]> {
    if (!/^\w+$/.test(homeId)) throw new Error(`${homeId} is no id.`)
    return (await sql<R>`${sql.raw(statement.replaceAll('$home', `'${homeId}'`))}`.execute(db)).rows
  }
  return {
    totals: await rows(STATEMENTS.totals),
    scopes: await rows(STATEMENTS.scopes),
    codes: await rows(STATEMENTS.codes),
    transferred: await rows(STATEMENTS.transferred),
  }
}
