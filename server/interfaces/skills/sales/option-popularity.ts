import { sql } from 'kysely'
import type { OptionPopularityInput, OptionPopularityResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { subtract, toPercentage } from '../../../platform/values/money.ts'
import { createReportFooter, selectSentences, truncateRows } from '../frame/report.ts'

const MAX_OPTIONS = 500

type TakenOption = Omit<OptionPopularityResult['options'][number], 'takePercent' | 'marginPercent'> & {
  homes: number
  uncosted: number
}

/**
 * Reports the take rate of each option: among the sold homes for which the option was available, the share that has it.
 */
export async function reportOptionPopularity(
  { communityId, planId }: OptionPopularityInput,
  call: Call,
): Promise<OptionPopularityResult> {
  const { db, organizationId, currency } = call
  const { rows } = await sql<TakenOption>`
    with "sold" as materialized (
      select "id", "planId", "communityId" from "homes"
      where "organizationId" = ${organizationId} and "salesStatus" in ('reserved', 'under_contract', 'sold')
        and (${communityId ?? null}::text is null or "communityId" = ${communityId ?? null})
        and (${planId ?? null}::text is null or "planId" = ${planId ?? null})
    ), "kinds" as (
      select "planId", "communityId", count(*) as "homes" from "sold" group by "planId", "communityId"
    ), "taken" as (
      select s."optionId", count(distinct s."homeId") as "taken", coalesce(sum(s."difference"), 0) as "revenue",
        coalesce(sum(s."cost"), 0) as "cost", count(*) filter (where s."cost" is null) as "uncosted"
      from "selections" s
      where s."organizationId" = ${organizationId} and s."homeId" = any(array(select "id" from "sold"))
        and s."optionId" is not null and s."status" in ('approved', 'ordered', 'installed')
      group by s."optionId"
    )
    select o."id" as "optionId", o."code" || ' ' || o."name" as "option", coalesce(t."taken", 0) as "taken",
      coalesce((
        select sum(k."homes") from "kinds" k
        where (cardinality(o."planIds") = 0 or k."planId" = any(o."planIds"))
          and (cardinality(o."communityIds") = 0 or k."communityId" = any(o."communityIds"))), 0) as "offered",
      coalesce(t."revenue", 0) as "revenue", coalesce(t."cost", 0) as "cost", coalesce(t."uncosted", 0) as "uncosted",
      (select count(*) from "sold") as "homes"
    from "options" o left join "taken" t on t."optionId" = o."id"
    where o."organizationId" = ${organizationId} and o."archivedAt" is null and (o."status" = 'active' or t."taken" > 0)
    order by "taken" desc, o."code", o."id" limit ${MAX_OPTIONS + 1}`.execute(db)
  const { rows: options, truncated } = truncateRows(rows, MAX_OPTIONS)
  return {
    homes: options[0]?.homes ?? 0,
    options: options.map(({ homes: _, uncosted: __, ...option }) => ({
      ...option,
      takePercent: toPercentage(option.taken, Math.max(option.offered, option.taken)),
      marginPercent: toPercentage(subtract(option.revenue, option.cost), option.revenue),
    })),
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        options.some(({ uncosted }) => uncosted > 0) && 'Some selections have no cost, so margins are overstated.',
        'Only homes are counted. Sales of lots without a home are excluded.',
      ),
    }),
    currency,
  }
}
