import { sql } from 'kysely'
import type { BudgetCostCode } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { toMinorUnitsSql } from '../../../platform/values/minor-units.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES, SETTLED_STATUSES } from '../../statuses/order-statuses.ts'
import { NO_TRADE } from './no-trade.ts'

/** The figures that can be summed. All other figures are computed from them. */
export type AdditiveFigures = Pick<
  BudgetCostCode,
  | ('budgeted' | 'originalBudgeted' | 'approvedChanges')
  | ('committed' | 'pendingCommitted' | 'actual' | 'paid' | 'retained')
> & {
  /** The cost of the approved time of the builder's own workers. Orders do not include this cost. */
  labor: number
}

/** The budget of a home for one trade and cost code, or for the lines of a trade without a cost code. */
export interface BudgetRow extends AdditiveFigures, Pick<BudgetCostCode, 'costCodeId' | 'code' | 'name' | 'category'> {
  scope: string
}

/**
 * Returns the budgets of several homes by trade and cost code. Uses one statement, so that all figures are from the
 * same moment. The rows are sorted by the name of the trade and then by code. Rows without a code are last. Omits homes
 * without rows. Trades whose names differ only in letter case count as one trade. Uses the spelling of the budget or,
 * if the trade is not in the budget, that of the orders or time entries.
 *
 * A payment for a single line counts for that line. All other payments and the retainage of the order are divided among
 * the lines, in proportion to the completed work that was not paid separately. Rounds the running sum half away from
 * zero, so that the amounts of the lines add up to the amount of the order. If there is no such work, for example for a
 * deposit, divides in proportion to the ordered amounts.
 */
export async function findBudgetRows(call: Tenant, homeIds: readonly string[]): Promise<Map<string, BudgetRow[]>> {
  const { organizationId } = call
  const { rows } = await sql<BudgetRow & { homeId: string }>`
    with "figures" as (
      select "homeId", lower("scope") as "key", "scope" as "budgetedAs", null::text as "orderedAs", null::text as "workedAs", "costCodeId",
        "originalAmount" as "originalBudgeted", "approvedChanges", "budgeted",
        0 as "committed", 0 as "pendingCommitted", 0 as "actual", 0 as "paid", 0 as "retained", 0 as "labor"
      from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(${[...homeIds]}) and "archivedAt" is null
      union all
      select o."homeId", lower(o."scope"), null, o."scope", null, l."costCodeId", 0, 0, 0,
        ${amountInStatusSql(COMMITTED_STATUSES)}, ${amountInStatusSql(PENDING_STATUSES)}, l."completedAmount" + l."creditAhead",
        l."paidAlone" + ${shareSql('(o."paidAmount" - l."paidByLine")')},
        case when ${isInStatusSql(SETTLED_STATUSES)} then 0
          else ${shareSql('o."retainedAmount"')} end, 0
      from "purchaseOrders" o
      cross join lateral (
        select n.*,
          -- Credit lines count as completed for what the other lines exceed the total.
          case when n."position" = min("position") filter (where n."isCredit") over ()
            then o."completedAmount" - sum("completedAmount") over () else 0 end as "creditAhead",
          sum("weight") over (order by "position") as "weighed", sum("weight") over () as "whole",
          sum("paidAlone") over () as "paidByLine"
        from (
          select "position", "costCodeId", "total" + "taxAmount" as "amount", "completedAmount", "paidAmount" as "paidAlone",
            ("total" + "taxAmount") * case when o."total" < 0 then -1 else 1 end < 0 as "isCredit",
            case when sum("completedAmount") over () <> sum("paidAmount") over () then "completedAmount" - "paidAmount"
              when o."total" <> 0 then "total" + "taxAmount" else 1 end as "weight"
          from "purchaseOrderLines"
          where "organizationId" = ${organizationId} and "purchaseOrderId" = o."id"
        ) as n
      ) as l
      where o."organizationId" = ${organizationId} and o."homeId" = any(${[...homeIds]})
        and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      union all
      select "homeId", lower(coalesce("scope", ${NO_TRADE}::text)), null, null, coalesce("scope", ${NO_TRADE}::text), "costCodeId",
        0, 0, 0, 0, 0, "cost", 0, 0, "cost"
      from "timeEntries"
      where "organizationId" = ${organizationId} and "homeId" = any(${[...homeIds]}) and "postedAt" is not null
    ), "posted" as (
      select "homeId", "key", min("budgetedAs") as "budgetedAs", min("orderedAs") as "orderedAs", min("workedAs") as "workedAs", "costCodeId",
        sum("budgeted") as "budgeted", sum("originalBudgeted") as "originalBudgeted",
        sum("approvedChanges") as "approvedChanges", sum("committed") as "committed",
        sum("pendingCommitted") as "pendingCommitted", sum("actual") as "actual", sum("paid") as "paid",
        sum("retained") as "retained", sum("labor") as "labor"
      from "figures"
      group by "homeId", "key", "costCodeId"
    )
    select p."homeId",
      coalesce(min(p."budgetedAs") over "ofScope", min(p."orderedAs") over "ofScope", min(p."workedAs") over "ofScope") as "scope",
      p."costCodeId", c."code", c."name", c."category", p."budgeted", p."originalBudgeted", p."approvedChanges",
      p."committed", p."pendingCommitted", p."actual", p."paid", p."retained", p."labor"
    from "posted" p
    left join "costCodes" c on c."organizationId" = ${organizationId} and c."id" = p."costCodeId"
    window "ofScope" as (partition by p."homeId", p."key")
    order by p."key" collate "C", c."code" collate "C" nulls last, p."costCodeId"`.execute(call.db)
  const byHome = new Map<string, BudgetRow[]>()
  for (const { homeId, ...row } of rows) {
    const ofHome = byHome.get(homeId)
    if (ofHome === undefined) byHome.set(homeId, [row])
    else ofHome.push(row)
  }
  return byHome
}

/** Returns the SQL expression for a line's share of an amount of its order. */
function shareSql(amount: string) {
  const decimals = toMinorUnitsSql('o."currency"')
  return sql.raw(
    `(round(${amount} * l."weighed" / l."whole", ${decimals}) - round(${amount} * (l."weighed" - l."weight") / l."whole", ${decimals}))`,
  )
}

function isInStatusSql(statuses: readonly string[]) {
  return sql`o."status" = any(${[...statuses]}::text[])`
}

/**
 * Returns the SQL expression for a line's amount with tax if its order has one of these statuses, and for zero
 * otherwise.
 */
function amountInStatusSql(statuses: readonly string[]) {
  return sql`case when ${isInStatusSql(statuses)} then l."amount" else 0 end`
}
