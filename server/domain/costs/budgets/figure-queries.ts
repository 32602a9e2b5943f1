import { sql } from 'kysely'
import type { BudgetCostCode } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { toMinorUnitsSql } from '../../../platform/values/minor-units.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES, SETTLED_STATUSES } from '../../statuses/order-statuses.ts'
import { NO_TRADE } from './no-trade.ts'

const DECIMALS = sql.raw(toMinorUnitsSql('o."currency"'))

/** The figures that can be summed. The others follow from them. */
export type AdditiveFigures = Pick<
  BudgetCostCode,
  | ('budgeted' | 'originalBudgeted' | 'approvedChanges')
  | ('committed' | 'pendingCommitted' | 'actual' | 'paid' | 'retained')
> & {
  /** Cost of the approved time of the builder's own workers, which is not part of any order. */
  labor: number
}

/** The part of a home's scope with one cost code, or with none. */
export interface BudgetRow extends AdditiveFigures, Pick<BudgetCostCode, 'costCodeId' | 'code' | 'name' | 'category'> {
  scope: string
}

/**
 * Returns the budgets of several homes by scope and cost code in one statement, so that all figures are from the same
 * moment. Sorted by the scope's name, then by code, with rows without a code last. Omits homes without rows. Trades
 * that differ only in case are one scope, named as the budget spells it.
 *
 * A line's retainage is the retainage of the order up to and including the line, less that before the line, each
 * rounded half away from zero. So the lines add up to the order's retainedAmount, which is rounded as a whole. Payments
 * for a single line count there. All other payments and released retainage are divided in the same way over the lines,
 * in proportion to the completed work of each that was not paid separately. If that is zero, as for a deposit, the
 * proportion is that of the ordered amounts.
 */
export async function findBudgetRows(call: Tenant, homeIds: readonly string[]): Promise<Map<string, BudgetRow[]>> {
  const { organizationId } = call
  const { rows } = await sql<BudgetRow & { homeId: string }>`
    with "figures" as (
      select "homeId", lower("scope") as "key", "scope" as "budgetedAs", null::text as "orderedAs", "costCodeId",
        "originalAmount" as "originalBudgeted", "approvedChanges", "budgeted",
        0 as "committed", 0 as "pendingCommitted", 0 as "actual", 0 as "paid", 0 as "retained", 0 as "labor"
      from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(${[...homeIds]}) and "archivedAt" is null
      union all
      select o."homeId", lower(o."scope"), null, o."scope", l."costCodeId", 0, 0, 0,
        ${amountInStatusSql(COMMITTED_STATUSES)}, ${amountInStatusSql(PENDING_STATUSES)}, l."completedAmount",
        l."paidAlone" + ${shareSql('(o."paidAmount" - l."paidByLine")')},
        case when ${isInStatusSql(SETTLED_STATUSES)} then 0
          else round(l."upToHere" * o."retainagePercent" / 100, ${DECIMALS})
            - round((l."upToHere" - l."completedAmount") * o."retainagePercent" / 100, ${DECIMALS})
            - ${shareSql('o."releasedAmount"')} end, 0
      from "purchaseOrders" o
      cross join lateral (
        select n.*, sum("completedAmount") over (order by "position") as "upToHere",
          sum("weight") over (order by "position") as "weighed", sum("weight") over () as "whole",
          sum("paidAlone") over () as "paidByLine"
        from (
          select "position", "costCodeId", "total" + "taxAmount" as "amount", "completedAmount", "paidAmount" as "paidAlone",
            case when o."completedAmount" <> sum("paidAmount") over () then "completedAmount" - "paidAmount"
              when o."total" <> 0 then "total" + "taxAmount" else 1 end as "weight"
          from "purchaseOrderLines"
          where "organizationId" = ${organizationId} and "purchaseOrderId" = o."id"
        ) as n
      ) as l
      where o."organizationId" = ${organizationId} and o."homeId" = any(${[...homeIds]})
        and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      union all
      select "homeId", lower(coalesce("scope", ${NO_TRADE}::text)), null, coalesce("scope", ${NO_TRADE}::text), "costCodeId",
        0, 0, 0, 0, 0, "cost", 0, 0, "cost"
      from "timeEntries"
      where "organizationId" = ${organizationId} and "homeId" = any(${[...homeIds]}) and "postedAt" is not null
    ), "posted" as (
      select "homeId", "key", min("budgetedAs") as "budgetedAs", min("orderedAs") as "orderedAs", "costCodeId",
        sum("budgeted") as "budgeted", sum("originalBudgeted") as "originalBudgeted",
        sum("approvedChanges") as "approvedChanges", sum("committed") as "committed",
        sum("pendingCommitted") as "pendingCommitted", sum("actual") as "actual", sum("paid") as "paid",
        sum("retained") as "retained", sum("labor") as "labor"
      from "figures"
      group by "homeId", "key", "costCodeId"
    )
    select p."homeId",
      coalesce(min(p."budgetedAs") over "ofScope", min(p."orderedAs") over "ofScope") as "scope",
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

/** SQL of the line's share of an amount of the order. */
function shareSql(amount: string) {
  const decimals = toMinorUnitsSql('o."currency"')
  return sql.raw(
    `(round(${amount} * l."weighed" / l."whole", ${decimals}) - round(${amount} * (l."weighed" - l."weight") / l."whole", ${decimals}))`,
  )
}

function isInStatusSql(statuses: readonly string[]) {
  return sql`o."status" = any(${[...statuses]}::text[])`
}

/** SQL of the line's amount with tax if its order has one of the statuses; otherwise zero. */
function amountInStatusSql(statuses: readonly string[]) {
  return sql`case when ${isInStatusSql(statuses)} then l."amount" else 0 end`
}
