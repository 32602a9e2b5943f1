import { sql } from 'kysely'
import type { BacklogReportInput, BacklogReportResult } from '../../../../client/contract.gen.ts'
import { TOTAL_PRICE_SQL } from '../../../domain/selling/sales/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { getToday, selectSentences, truncateRows, withReportFooter } from '../frame/report.ts'

const MAX_SALES = 500

type BacklogSale = BacklogReportResult['sales'][number]

/** Reports the backlog as public builders do: sold under contract and not closed. */
export async function backlogReport(
  { asOf, communityId }: BacklogReportInput,
  call: Call,
): Promise<BacklogReportResult> {
  const { db, organizationId, currency } = call
  const today = getToday(call)
  const on = asOf ?? today
  const { rows } = await sql<BacklogSale>`
    select t."id" as "saleId", t."number", t."homeId", coalesce(h."name", 'Lot ' || t."lotNumber") || ', ' || c."name" as "home",
      ${sql.raw(TOTAL_PRICE_SQL)} as "price", coalesce(h."closingDate", t."targetCloseDate", h."forecastCompletionDate") as "expectedClose",
      t."stage"
    from "sales" t
    join "communities" c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    left join "homes" h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    where t."organizationId" = ${organizationId} and t."status" in ('approved', 'pipeline_complete')
      and t."saleDate" <= ${on}::date
      and case when h."id" is null then t."status" = 'approved'
        else h."status" not in ('closed', 'warranty', 'archived') or h."closingDate" > ${on}::date end
      and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
    order by "expectedClose" nulls last, t."id" limit ${MAX_SALES + 1}`.execute(db)
  const { rows: sales, truncated } = truncateRows(rows, MAX_SALES)
  const byMonth = Map.groupBy(sales, ({ expectedClose }) => expectedClose?.slice(0, 7) ?? null)
  return {
    ...{ count: sales.length, value: sum(sales.map(({ price }) => price)), sales },
    months: [...byMonth]
      .map(([month, of]) => ({ month, count: of.length, value: sum(of.map(({ price }) => price)) }))
      .slice(0, 100),
    ...withReportFooter(call, {
      truncated,
      unknown: selectSentences(
        on < today && 'Prices are as of today. Sales that were cancelled since that date are excluded.',
        sales.some(({ expectedClose }) => expectedClose === null) && 'Some sales have no expected closing date.',
      ),
    }),
    currency,
  }
}
