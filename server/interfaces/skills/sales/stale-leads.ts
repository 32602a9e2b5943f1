import { sql } from 'kysely'
import type { StaleLeadsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createReportFooter, truncateRows } from '../frame/report.ts'

const MAX_LEADS = 500

export async function findStaleLeads(
  { days, communityId }: Checked['StaleLeadsInput'],
  call: Call,
): Promise<StaleLeadsResult> {
  const { db, organizationId, now } = call
  const { rows } = await sql<StaleLeadsResult['leads'][number]>`
    select l."id" as "leadId", coalesce(nullif(concat_ws(' ', l."firstName", l."lastName"), ''), l."email", l."phone", 'Unnamed') as "name",
      l."status", l."score", u."name" as "owner", l."lastActivityAt",
      floor(extract(epoch from ${now}::timestamptz - l."lastActivityAt") / 86400)::integer as "daysSince"
    from "leads" l left join "users" u on u."organizationId" = l."organizationId" and u."id" = l."ownerUserId"
    where l."organizationId" = ${organizationId} and l."archivedAt" is null and l."status" not in ('converted', 'lost')
      and l."lastActivityAt" < ${now}::timestamptz - make_interval(days => ${days}::integer)
      and (${communityId ?? null}::text is null or ${communityId ?? null} = any(l."communityIds"))
    order by l."score" desc, l."lastActivityAt", l."id" limit ${MAX_LEADS + 1}`.execute(db)
  const { rows: leads, truncated } = truncateRows(rows, MAX_LEADS)
  return { leads, ...createReportFooter(call, { truncated, unknown: ['Only recorded activities are considered.'] }) }
}
