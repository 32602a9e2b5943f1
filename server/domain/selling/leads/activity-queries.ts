import { sql } from 'kysely'
import type { LeadActivityType } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, findAll, insert, make, insertAll } = defineResource({
  schema: 'LeadActivity',
})

/** The number of activities of a lead, by type. */
export type ActivityCounts = Partial<Record<LeadActivityType, number>>

export async function countActivities({ db, organizationId }: Tenant, leadId: string): Promise<ActivityCounts> {
  const { rows } = await sql<{ activityType: LeadActivityType; count: number }>`
    select "activityType", count(*)::int as "count" from "leadActivities"
    where "organizationId" = ${organizationId} and "leadId" = ${leadId}
    group by "activityType"`.execute(db)
  return Object.fromEntries(rows.map(({ activityType, count }) => [activityType, count]))
}
