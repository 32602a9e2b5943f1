import { sql } from 'kysely'
import type { BudgetVsActualResult, BudgetVsActualRow } from '../../../../client/contract.gen.ts'
import { NO_TRADE } from '../../../domain/ledger/no-trade.ts'
import { toPostingConditions } from '../../../domain/ledger/posting-queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { explainEarlyDate } from '../frame/ledger-start.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_ROWS = 1000

/** The balances of a home for a trade and a cost code. The cost code can be missing. */
interface PostedRow extends Pick<BudgetVsActualRow, 'original' | 'budgeted' | 'committed' | 'actual' | 'paid'> {
  scope: string
  costCodeId: string | null
  code: string | null
  name: string | null
  /** Whether the budget was locked at the end of the day. */
  isLocked: boolean
}

/**
 * Compares the budget of a home with its costs at the end of a day. All amounts are ledger balances, so a report for a
 * past day never changes. An exception is a budget that is not locked: it is not in the ledger yet, so its current
 * amounts are used.
 */
export async function reportBudgetVsActual(
  { homeId, groupBy, asOf, knownAt }: Checked['BudgetVsActualInput'],
  call: Call,
): Promise<BudgetVsActualResult> {
  const today = getToday(call)
  const through = asOf ?? today
  const [home, posted] = await Promise.all([
    findHomeOverview(call, homeId),
    findPostedRows(call, { homeId, through, knownAt }),
  ])
  const nameOf = ({ scope, code, name }: PostedRow) =>
    groupBy === 'scope' ? scope : code === null ? 'Without a cost code' : `${code} ${name}`
  const groups = Map.groupBy(posted, nameOf)
  const { rows, truncated } = truncateRows(
    [...groups].map(([name, rows]) => sumRows(name, rows)),
    MAX_ROWS,
  )
  if (groupBy === 'costCode') rows.sort((a, b) => (a.name < b.name ? -1 : 1))
  const uncoded = posted.filter(({ costCodeId }) => costCodeId === null).length
  const isUnlocked = posted.some(({ isLocked }) => !isLocked)
  return {
    ...{ through, homeId, home: home.home, rows, total: sumRows('Total', posted) },
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        await explainEarlyDate(call, through),
        isUnlocked &&
          through < today &&
          `The budget was not locked on ${formatDate(through)}, so the current budget is shown.`,
        groupBy === 'costCode' && uncoded > 0 && 'Lines without a cost code are shown as one group.',
      ),
    }),
    currency: call.currency,
  }
}

/**
 * Returns the balances by trade, then by cost code. Combines trades whose names differ only in letter case. The name of
 * the combined trade is spelled as in the budget or, if the budget does not contain it, as in the orders.
 */
async function findPostedRows(
  call: Call,
  { homeId, through, knownAt }: { homeId: string; through: string; knownAt: string | undefined },
): Promise<PostedRow[]> {
  const { db, organizationId, timeZone } = call
  const conditions = toPostingConditions(call, { homeId, to: through, knownAt })
  const { rows } = await sql<PostedRow>`
    with "home" as materialized (
      select h."budgetLockedAt" as "at", (h."budgetLockedAt" at time zone ${timeZone})::date as "day",
        h."budgetLockedAt" is not null and h."budgetLockedAt" < "dayStart"(${through}::date + 1, ${timeZone})
          and (${knownAt ?? null}::timestamptz is null or h."budgetLockedAt" <= ${knownAt ?? null}::timestamptz) as "isLocked"
      from "homes" h where h."organizationId" = ${organizationId} and h."id" = ${homeId}
    ), "figures" as (
      select p."scope", p."costCodeId", p."measure", p."amount",
        -- Derived postings were recorded later than the records from which they were derived.
        p."measure" = 'budget' and case p."basis" when 'recorded' then p."recordedAt" <= h."at"
          else p."effectiveDate" <= h."day" end as "isOriginal"
      from "postings" p cross join "home" h
      where ${sql.join(conditions, sql` and `)}
        and p."measure" in ('budget', 'commitment', 'cost', 'paid', 'discount', 'withheldTax')
      union all
      select b."scope", b."costCodeId", 'budget', b."budgeted", true from "budgetLines" b cross join "home" h
      where b."organizationId" = ${organizationId} and b."homeId" = ${homeId} and b."archivedAt" is null and not h."isLocked"
    ), "totals" as (
      select lower(coalesce("scope", ${NO_TRADE}::text)) as "key", "costCodeId",
        min("scope") filter (where "measure" = 'budget') as "budgetedAs", min(coalesce("scope", ${NO_TRADE}::text)) as "namedAs",
        coalesce(sum("amount") filter (where "isOriginal"), 0) as "original",
        coalesce(sum("amount") filter (where "measure" = 'budget'), 0) as "budgeted", bool_or("measure" = 'budget') as "isBudgeted",
        coalesce(sum("amount") filter (where "measure" = 'commitment'), 0) as "committed",
        coalesce(sum("amount") filter (where "measure" = 'cost'), 0) as "actual",
        coalesce(sum("amount") filter (where "measure" in ('paid', 'discount', 'withheldTax')), 0) as "paid"
      from "figures" group by 1, 2
    )
    select coalesce(min(t."budgetedAs") over "ofTrade", min(t."namedAs") over "ofTrade") as "scope", t."costCodeId",
      c."code", c."name", t."original", t."budgeted", t."committed", t."actual", t."paid",
      (select "isLocked" from "home") as "isLocked"
    from "totals" t
    left join "costCodes" c on c."organizationId" = ${organizationId} and c."id" = t."costCodeId"
    -- The postings of a voided record cancel each other out.
    where t."isBudgeted" or t."committed" <> 0 or t."actual" <> 0 or t."paid" <> 0
    window "ofTrade" as (partition by t."key")
    order by t."key" collate "C", c."code" collate "C" nulls last, t."costCodeId"`.execute(db)
  return rows
}

function sumRows(name: string, rows: readonly PostedRow[]): BudgetVsActualRow {
  const of = (figure: (row: PostedRow) => number) => sum(rows.map(figure))
  const original = of((row) => row.original)
  const budgeted = of((row) => row.budgeted)
  const committed = of((row) => row.committed)
  const actual = of((row) => row.actual)
  return {
    ...{ name, original, changes: subtract(budgeted, original), budgeted, committed, actual },
    ...{ paid: of((row) => row.paid), variance: subtract(budgeted, committed), remaining: subtract(budgeted, actual) },
  }
}
