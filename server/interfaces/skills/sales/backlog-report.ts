import { sql } from 'kysely'
import type { BacklogReportInput, BacklogReportResult } from '../../../../client/contract.gen.ts'
import { toPostingConditions } from '../../../domain/ledger/posting-queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { explainEarlyDate } from '../frame/ledger-start.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_SALES = 500

type BacklogSale = BacklogReportResult['sales'][number]

/**
 * Reports the backlog as publicly traded builders define it: homes that are under contract and not closed. Contracts
 * are ledger balances, so a sale remains in the backlog of an earlier day even if it is canceled later.
 */
export async function reportBacklog(
  { asOf, knownAt, communityId }: BacklogReportInput,
  call: Call,
): Promise<BacklogReportResult> {
  const { db, organizationId, currency, timeZone } = call
  const on = asOf ?? getToday(call)
  const conditions = toPostingConditions(call, { to: on, knownAt, measure: 'contract' })
  const { rows } = await sql<BacklogSale>`
    with "contracts" as materialized (
      -- Every contract has a sale. The condition on saleId lets the partial index serve the query.
      select p."saleId", sum(p."amount") as "price" from "postings" p where ${sql.join(conditions, sql` and `)}
        and p."saleId" is not null
      group by p."saleId" having sum(p."amount") <> 0
    )
    select t."id" as "saleId", t."number", t."homeId", coalesce(h."name", 'Lot ' || t."lotNumber") || ', ' || c."name" as "home",
      k."price", coalesce(h."closingDate", t."targetCloseDate", h."forecastCompletionDate") as "expectedClose", t."stage"
    from "contracts" k
    join "sales" t on t."organizationId" = ${organizationId} and t."id" = k."saleId"
    join "communities" c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    left join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    where case when h."id" is not null then coalesce(h."closingDate", 'infinity') > ${on}::date
        -- A sale without a home in Plumbline is complete when all of its stages are.
        else t."completedAt" is null or t."completedAt" >= "dayStart"(${on}::date + 1, ${timeZone})
          or t."completedAt" > ${knownAt ?? null}::timestamptz end
      and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
    order by "expectedClose" nulls last, t."id" limit ${MAX_SALES + 1}`.execute(db)
  const { rows: sales, truncated } = truncateRows(rows, MAX_SALES)
  const byMonth = Map.groupBy(sales, ({ expectedClose }) => expectedClose?.slice(0, 7) ?? null)
  return {
    ...{ count: sales.length, value: sum(sales.map(({ price }) => price)), sales },
    months: [...byMonth]
      .map(([month, of]) => ({ month, count: of.length, value: sum(of.map(({ price }) => price)) }))
      .slice(0, 100),
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        await explainEarlyDate(call, on),
        sales.some(({ expectedClose }) => expectedClose === null) && 'Some sales have no expected closing date.',
      ),
    }),
    currency,
  }
}
