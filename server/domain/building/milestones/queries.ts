import { sql } from 'kysely'
import type { Community, Home, Milestone } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { toSelectColumnsSql } from '../../../platform/resources/columns.ts'
import { resolveColumns } from '../../../platform/resources/declaration.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { toMinorUnitsSql } from '../../../platform/values/minor-units.ts'
import { toHomePriceSql } from '../../land/homes/queries.ts'
import { MAX_MILESTONES, type MilestoneTask } from './milestone.ts'

const COMPUTED_COLUMNS = {
  // A milestone has few tasks, and the query finds each task by its ID.
  forecastDate: `
    select max(k."earlyFinish") from "tasks" as k
    where k."organizationId" = t."organizationId" and k."id" = any(t."taskIds") and k."archivedAt" is null
      and k."status" <> 'skipped'`,
  drawDue: `
    case when t."drawPercent" is null then t."drawAmount" else (
      select round(t."drawPercent" * (${toHomePriceSql('h')}) / 100, ${toMinorUnitsSql('o."currency"')}) from "homes" as h
      join "organizations" as o on o."id" = h."organizationId"
      where h."organizationId" = t."organizationId" and h."id" = t."homeId") end`,
}

export const { list, find, findAll, findOptional, lock, insert, update, updateAll, archive } = defineResource({
  schema: 'Milestone',
  computed: COMPUTED_COLUMNS,
  filters: {
    targetDateFrom: (date) => `t."targetDate" >= ${date}`,
    targetDateTo: (date) => `t."targetOrder" <= ${date} and t."targetDate" is not null`,
    lateOn: (date) => `t."status" = 'pending' and t."targetOrder" < ${date} and t."targetDate" is not null`,
  },
  // Milestones without a date sort last. A cursor cannot contain null, so these milestones have a sort value.
  sorts: {
    targetDate: {
      column: 'targetOrder',
      from: (date) => `coalesce(nullif(${date}, 'null')::date, date '9999-12-31')`,
    },
  },
})

const MILESTONE_COLUMNS = sql.raw(
  toSelectColumnsSql(resolveColumns({ schema: 'Milestone', table: 'milestones', computed: COMPUTED_COLUMNS })),
)

/** Returns the milestones of a locked home to which the task belongs. */
export async function listMilestonesOfTask(
  { db, organizationId }: WriteCall,
  homeId: string,
  taskId: string,
): Promise<Milestone[]> {
  const { rows } = await sql<Milestone>`
    select ${MILESTONE_COLUMNS} from "milestones" as t
    where t."organizationId" = ${organizationId} and t."homeId" = ${homeId} and t."archivedAt" is null
      and ${taskId} = any(t."taskIds")
    order by t."id" limit ${MAX_MILESTONES}`.execute(db)
  return rows
}

export type LockedHome = Pick<Home, 'id' | 'name' | 'communityId' | 'status' | 'archivedAt'> &
  Pick<Community, 'timeZone'>

/**
 * Locks the home of a milestone until the transaction ends. Changing the home's tasks locks the same row, so changes of
 * milestones are never concurrent.
 */
export async function lockHome({ db, organizationId }: WriteCall, homeId: string): Promise<LockedHome | undefined> {
  const { rows } = await sql<LockedHome>`
    select h."id", h."name", h."communityId", h."status", h."archivedAt", c."timeZone"
    from "homes" as h join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where h."organizationId" = ${organizationId} and h."id" = ${homeId} for no key update of h`.execute(db)
  return rows[0]
}

/** Returns the given tasks that are in the home's schedule. */
export async function listTasks(
  { db, organizationId }: Tenant,
  homeId: string,
  ids: readonly string[],
): Promise<MilestoneTask[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<MilestoneTask>`
    select "id", "name", "status", "actualEnd" from "tasks"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[]) and "homeId" = ${homeId}
      and "archivedAt" is null
    order by "sequence", "id"`.execute(db)
  return rows
}

/**
 * Returns the number of the home's milestones and the total share of its draws in percent, excluding the given draw.
 */
export async function computeDrawTotals(
  { db, organizationId }: Tenant,
  homeId: string,
  without: string | null,
): Promise<{ count: number; percent: number }> {
  const { rows } = await sql<{ count: number; percent: number }>`
    select count(*)::integer as "count", coalesce(sum("drawPercent"), 0) as "percent" from "milestones"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "archivedAt" is null
      and "id" is distinct from ${without}`.execute(db)
  return rows[0] ?? { count: 0, percent: 0 }
}
