import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Plan, PlanRevision } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { resolveColumns } from '../../../platform/resources/declaration.ts'
import { createListing } from '../../../platform/resources/listing.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { FINISHED_STATUSES } from '../home-statuses.ts'
import { REVISION_FIELDS } from './plan.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, update, archive } = defineResource({
  schema: 'Plan',
  filters: { communityId: (community) => `(t."communityIds" = '{}' or ${community} = any(t."communityIds"))` },
})

export const listRevisions = createListing<PlanRevision>({
  table: 'planRevisions',
  columns: resolveColumns({ schema: 'PlanRevision', table: 'planRevisions' }),
  // A revision never changes, so the filters for its creation and its update both use the time of its release.
  filters: { updatedAfter: (timestamp) => `t."createdAt" >= ${timestamp}` },
})

const FROZEN_COLUMNS = sql.join(REVISION_FIELDS.map((field) => sql.id(field)))

/** Stores the current state of the plan as a released revision. */
export async function storeRevision({ db, organizationId, actor, now }: WriteCall, plan: Plan): Promise<void> {
  await sql`
    insert into "planRevisions" ("organizationId", "id", "planId", "revision", ${FROZEN_COLUMNS}, "createdBy", "createdAt")
    select p."organizationId", ${typeid('plr').toString()}::text, p."id", p."revision", ${FROZEN_COLUMNS}, ${JSON.stringify(actor)}::jsonb, ${now}::timestamptz
    from "plans" p where p."organizationId" = ${organizationId} and p."id" = ${plan.id}`.execute(db)
}

/** Returns a released revision of the plan. */
export async function findRevision(
  { db, organizationId }: Tenant,
  planId: string,
  revision: number,
): Promise<Pick<PlanRevision, 'revision' | (typeof REVISION_FIELDS)[number]> | undefined> {
  const { rows } = await sql<Pick<PlanRevision, 'revision' | (typeof REVISION_FIELDS)[number]>>`
    select "revision", ${FROZEN_COLUMNS} from "planRevisions"
    where "organizationId" = ${organizationId} and "planId" = ${planId} and "revision" = ${revision}`.execute(db)
  return rows[0]
}

/** Increments the version of a locked plan when only its takeoff has changed. Returns the new version. */
export async function bumpVersion(call: WriteCall, { id, version }: Plan): Promise<number> {
  await sql`
    update "plans" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  recordChange(call, id, 'updated', ['takeoff'])
  return version + 1
}

/** Copies the takeoff of the previous revision to the new revision. */
export async function copyTakeoff({ db, organizationId }: WriteCall, { id, revision }: Plan): Promise<void> {
  await sql`
    insert into "takeoffLines" ("organizationId", "planId", "revision", "place", "lineId", "elevation", "partId",
      "quantity", "formula", "wastePercent", "costCodeId", "taskName")
    select "organizationId", "planId", ${revision}::integer, "place", "lineId", "elevation", "partId",
      "quantity", "formula", "wastePercent", "costCodeId", "taskName"
    from "takeoffLines"
    where "organizationId" = ${organizationId} and "planId" = ${id} and "revision" = ${revision - 1}`.execute(db)
}

/** Returns the number of lines for each of these elevations in the takeoff of the newest revision, if there are any. */
export async function countTakeoffLines(
  { db, organizationId }: Tenant,
  { id, revision }: Plan,
  elevations: readonly string[],
): Promise<{ elevation: string; count: number }[]> {
  const { rows } = await sql<{ elevation: string; count: number }>`
    select "elevation", count(*)::integer as "count" from "takeoffLines"
    where "organizationId" = ${organizationId} and "planId" = ${id} and "revision" = ${revision}
      and "elevation" = any(${[...elevations]}::text[])
    group by "elevation" order by "elevation"`.execute(db)
  return rows
}

/** Returns up to `limit` IDs of plans that are neither archived nor retired. */
export async function listActivePlanIds({ db, organizationId }: Tenant, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "plans"
    where "organizationId" = ${organizationId} and "archivedAt" is null and "status" <> 'retired'
    order by "id" limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the number of unfinished homes with any revision of the plan. */
export async function countOpenHomes({ db, organizationId }: Tenant, planId: string): Promise<number> {
  const { count } = await db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('planId', '=', planId)
    .where('archivedAt', 'is', null)
    .where('status', 'not in', [...FINISHED_STATUSES])
    .executeTakeFirstOrThrow()
  return count
}
