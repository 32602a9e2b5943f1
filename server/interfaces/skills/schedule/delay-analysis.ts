import { sql } from 'kysely'
import type { DelayAnalysisInput, DelayAnalysisResult, LostDays } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { toPercentage } from '../../../platform/values/money.ts'
import { createReportFooter, toReportPeriod } from '../frame/report.ts'

const MAX_REASONS = 50
const MAX_SIDES = 10
const MAX_VENDORS = 100

interface DelayGroup {
  reason: string | null
  responsible: string | null
  vendorId: string | null
  name: string | null
  delays: number
  days: number
  homes: number
}

export async function analyzeDelays(input: DelayAnalysisInput, call: Call): Promise<DelayAnalysisResult> {
  const { from, to } = toReportPeriod(call, input)
  const groups = await findLostDays(call, { ...input, from, to })
  const whole = groups.find(({ reason, responsible, vendorId }) => (reason ?? responsible ?? vendorId) === null)
  const { delays = 0, days = 0, homes = 0 } = whole ?? {}
  const by = (key: 'reason' | 'responsible' | 'vendorId') =>
    groups.flatMap(({ name, delays, days: lost, ...group }): LostDays[] => {
      const of = group[key]
      return of === null ? [] : [{ key: of, name: name ?? of, delays, days: lost, percent: toPercentage(lost, days) }]
    })
  const byVendor = by('vendorId')
  return {
    ...{ from, to, delays, days, homes, byReason: by('reason').slice(0, MAX_REASONS) },
    ...{ byResponsible: by('responsible').slice(0, MAX_SIDES), byVendor: byVendor.slice(0, MAX_VENDORS) },
    ...createReportFooter(call, {
      truncated: byVendor.length > MAX_VENDORS,
      unknown: [
        'Only recorded delays are counted, with their recorded workdays, whether or not they are on the critical path.',
      ],
    }),
  }
}

/** Returns the lost days by reason, by responsible party, by vendor, and in total. Reads the tasks only once. */
async function findLostDays(
  { db, organizationId, timeZone }: Call,
  { from, to, communityId }: DelayAnalysisInput & { from: string; to: string },
): Promise<DelayGroup[]> {
  // Recording a delay changes its task, so only tasks that have changed since the start of the period can have a delay
  // in it.
  const { rows } = await sql<DelayGroup>`
    with "delays" as materialized (
      select t."homeId", d ->> 'reasonCode' as "reason", d ->> 'responsible' as "responsible", d ->> 'vendorId' as "vendorId",
        (d ->> 'days')::integer as "days"
      from "tasks" t cross join lateral jsonb_array_elements(t."delays"::jsonb) as d
      where t."organizationId" = ${organizationId} and t."updatedAt" >= "dayStart"(${from}::date, ${timeZone})
        and (${communityId ?? null}::text is null or t."communityId" = ${communityId ?? null})
        and (d ->> 'at')::timestamptz >= "dayStart"(${from}::date, ${timeZone})
        and (d ->> 'at')::timestamptz < "dayStart"(${to}::date + 1, ${timeZone})
    )
    select g.*, v."companyName" as "name" from (
      select "reason", "responsible", "vendorId", count(*) as "delays", sum("days") as "days", count(distinct "homeId") as "homes"
      from "delays" group by grouping sets (("reason"), ("responsible"), ("vendorId"), ())
    ) as g left join "vendors" v on v."organizationId" = ${organizationId} and v."id" = g."vendorId"
    order by g."days" desc nulls last, g."reason", g."responsible", g."vendorId"`.execute(db)
  return rows.filter(({ days }) => days !== null)
}
