import { sql } from 'kysely'
import type { BudgetCostCode } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { NO_TRADE } from '../../ledger/no-trade.ts'
import type { Measure } from '../../ledger/posting.ts'
import { toPostingConditions } from '../../ledger/posting-queries.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../statuses/order-statuses.ts'

/** The figures that can be summed. All other figures are computed from them. */
export type AdditiveFigures = Pick<
  BudgetCostCode,
  | ('budgeted' | 'originalBudgeted' | 'approvedChanges')
  | ('committed' | 'pendingCommitted' | 'actual' | 'costWithoutOrder' | 'paid' | 'retained')
>

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
export async function findBudgetRows(call: Call, homeIds: readonly string[]): Promise<Map<string, BudgetRow[]>> {
  const { organizationId } = call
  const postings = toPostingConditions(call, { to: toLocalDate(call.timeZone, call.now) })
  const { rows } = await sql<BudgetRow & { homeId: string }>`
    with "figures" as (
      select "homeId", lower("scope") as "key", "scope" as "budgetedAs", null::text as "orderedAs", null::text as "postedAs", "costCodeId",
        "originalAmount" as "originalBudgeted", "approvedChanges", "budgeted",
        0 as "committed", 0 as "pendingCommitted", 0 as "actual", 0 as "paid", 0 as "retained", 0 as "costWithoutOrder"
      from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(${[...homeIds]}) and "archivedAt" is null
      union all
      select o."homeId", lower(o."scope"), null, o."scope", null, l."costCodeId", 0, 0, 0,
        ${amountInStatusSql(COMMITTED_STATUSES)}, ${amountInStatusSql(PENDING_STATUSES)}, 0, 0, 0, 0
      from "purchaseOrders" o
      cross join lateral (
        select "costCodeId", "total" + "taxAmount" as "amount" from "purchaseOrderLines"
        where "organizationId" = ${organizationId} and "purchaseOrderId" = o."id"
      ) as l
      where o."organizationId" = ${organizationId} and o."homeId" = any(${[...homeIds]})
        and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      union all
      select b."homeId", lower(b."scope"), null, null, b."scope", b."costCodeId", 0, 0, 0, 0, 0,
        b."actual", b."paid", b."retained", b."costWithoutOrder"
      from (
        select p."homeId", coalesce(p."scope", ${NO_TRADE}::text) as "scope", p."costCodeId",
          ${sumOfMeasuresSql(['cost'])} as "actual", ${sumOfMeasuresSql(PAID_MEASURES)} as "paid",
          ${sumOfMeasuresSql(['retainage'])} as "retained",
          coalesce(sum(p."amount") filter (where p."measure" = 'cost' and p."poId" is null), 0) as "costWithoutOrder"
        from "postings" p
        where ${sql.join(postings, sql` and `)} and p."homeId" = any(${[...homeIds]})
          and p."measure" = any(${['cost', 'retainage', ...PAID_MEASURES]}::text[])
        group by 1, 2, 3
      ) as b
      -- The postings of a voided record cancel each other out.
      where b."actual" <> 0 or b."paid" <> 0 or b."retained" <> 0 or b."costWithoutOrder" <> 0
    ), "totals" as (
      select "homeId", "key", min("budgetedAs") as "budgetedAs", min("orderedAs") as "orderedAs", min("postedAs") as "postedAs", "costCodeId",
        sum("budgeted") as "budgeted", sum("originalBudgeted") as "originalBudgeted",
        sum("approvedChanges") as "approvedChanges", sum("committed") as "committed",
        sum("pendingCommitted") as "pendingCommitted", sum("actual") as "actual", sum("paid") as "paid",
        sum("retained") as "retained", sum("costWithoutOrder") as "costWithoutOrder"
      from "figures"
      group by "homeId", "key", "costCodeId"
    )
    select t."homeId",
      coalesce(min(t."budgetedAs") over "ofScope", min(t."orderedAs") over "ofScope", min(t."postedAs") over "ofScope") as "scope",
      t."costCodeId", c."code", c."name", c."category", t."budgeted", t."originalBudgeted", t."approvedChanges",
      t."committed", t."pendingCommitted", t."actual", t."paid", t."retained", t."costWithoutOrder"
    from "totals" t
    left join "costCodes" c on c."organizationId" = ${organizationId} and c."id" = t."costCodeId"
    window "ofScope" as (partition by t."homeId", t."key")
    order by t."key" collate "C", c."code" collate "C" nulls last, t."costCodeId"`.execute(call.db)
  const byHome = new Map<string, BudgetRow[]>()
  for (const { homeId, ...row } of rows) {
    const ofHome = byHome.get(homeId)
    if (ofHome === undefined) byHome.set(homeId, [row])
    else ofHome.push(row)
  }
  return byHome
}

/** Returns the SQL expression for a line's share of an amount of its order. */
const PAID_MEASURES = ['paid', 'discount', 'withheldTax'] as const satisfies readonly Measure[]

function sumOfMeasuresSql(measures: readonly Measure[]) {
  return sql`coalesce(sum(p."amount") filter (where p."measure" = any(${[...measures]}::text[])), 0)`
}

/**
 * Returns the SQL expression for a line's amount with tax if its order has one of these statuses, and for zero
 * otherwise.
 */
function amountInStatusSql(statuses: readonly string[]) {
  return sql`case when o."status" = any(${[...statuses]}::text[]) then l."amount" else 0 end`
}
