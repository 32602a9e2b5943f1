import { sql } from 'kysely'
import type { SalesPipelineReportInput, SalesPipelineReportResult } from '../../../../client/contract.gen.ts'
import { COMMISSION_SQL, TOTAL_PRICE_SQL } from '../../../domain/selling/sales/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { addDays, countDaysBetween } from '../../../platform/values/calendar.ts'
import { toPercentage } from '../../../platform/values/money.ts'
import { createReportFooter, toReportPeriod } from '../frame/report.ts'

const MAX_STAGES = 100

interface PipelineCounts {
  leads: SalesPipelineReportResult['leads'] | null
  leadsCreated: number
  leadsConverted: number
  sold: number
  cancelled: number
  commissionEarned: number
}

/** Reports absorption as builders measure it: sales minus cancellations per week. */
export async function reportSalesPipeline(
  input: SalesPipelineReportInput,
  call: Call,
): Promise<SalesPipelineReportResult> {
  const { from, to } = toReportPeriod(call, input)
  const [stages, counts] = await Promise.all([
    findStages(call, input.communityId),
    findPipelineCounts(call, { from, to, communityId: input.communityId }),
  ])
  const { leads, leadsCreated, leadsConverted, sold, cancelled, commissionEarned } = counts
  const weeks = countDaysBetween(from, addDays(to, 1)) / 7
  return {
    ...{ from, to, leads: leads ?? [], stages, leadsCreated, leadsConverted, sold, cancelled, commissionEarned },
    conversionPercent: toPercentage(leadsConverted, leadsCreated),
    absorptionPerWeek: Math.round(((sold - cancelled) / weeks) * 100) / 100,
    ...createReportFooter(call, { unknown: ['Leads without a community are not counted in any community.'] }),
    currency: call.currency,
  }
}

async function findStages({ db, organizationId, now }: Call, communityId: string | undefined) {
  const { rows } = await sql<SalesPipelineReportResult['stages'][number]>`
    select coalesce(t."stage", 'done') as "stage", count(*) as "count", sum(${sql.raw(TOTAL_PRICE_SQL)}) as "value",
      coalesce(sum(${sql.raw(COMMISSION_SQL)}), 0) as "commission",
      round(avg(extract(epoch from ${now}::timestamptz - coalesce((
        select max((p ->> 'completedAt')::timestamptz) from jsonb_array_elements(t."pipeline"::jsonb) as p
      ), t."createdAt")) / 86400)::numeric, 1) as "meanDaysInStage"
    from "sales" t
    where t."organizationId" = ${organizationId} and t."status" in ('pending', 'approved')
      and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
    group by t."stage" order by "count" desc, 1 limit ${MAX_STAGES}`.execute(db)
  return rows
}

async function findPipelineCounts(
  { db, organizationId, timeZone }: Call,
  { from, to, communityId }: { from: string; to: string; communityId: string | undefined },
): Promise<PipelineCounts> {
  const start = sql`"dayStart"(${from}::date, ${timeZone})`
  const end = sql`"dayStart"(${to}::date + 1, ${timeZone})`
  const isOfLeads = sql`(${communityId ?? null}::text is null or ${communityId ?? null} = any("communityIds"))`
  const isOfSales = sql`(${communityId ?? null}::text is null or "communityId" = ${communityId ?? null})`
  const { rows } = await sql<PipelineCounts>`
    select
      (select json_agg(r) from (
        select "status", count(*) as "count" from "leads"
        where "organizationId" = ${organizationId} and "archivedAt" is null and "status" not in ('converted', 'lost') and ${isOfLeads}
        group by "status"
        order by array_position(array['new', 'contacted', 'qualified', 'appointment', 'proposal'], "status")) as r) as "leads",
      l."created" as "leadsCreated", l."converted" as "leadsConverted", s."sold", s."cancelled", s."commissionEarned"
    from (
      select count(*) as "created", count(*) filter (where "status" = 'converted') as "converted" from "leads"
      where "organizationId" = ${organizationId} and "createdAt" >= ${start} and "createdAt" < ${end} and ${isOfLeads}
    ) as l cross join (
      select count(*) filter (where "saleDate" between ${from}::date and ${to}::date) as "sold",
        count(*) filter (where "cancelledAt" >= ${start} and "cancelledAt" < ${end}) as "cancelled",
        coalesce(sum(${sql.raw(COMMISSION_SQL)}) filter (where t."completedAt" >= ${start} and t."completedAt" < ${end}), 0) as "commissionEarned"
      from "sales" t where t."organizationId" = ${organizationId} and ${isOfSales}
    ) as s`.execute(db)
  return rows[0] ?? { leads: null, leadsCreated: 0, leadsConverted: 0, sold: 0, cancelled: 0, commissionEarned: 0 }
}
