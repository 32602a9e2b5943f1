import { sql } from 'kysely'
import type { Home, TaskTemplateSummary, Vendor } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { resolveColumns } from '../../../platform/resources/declaration.ts'
import { createListing } from '../../../platform/resources/listing.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { find, findAll, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'TaskTemplate',
})

/** Omits the rows of the templates, which can be long. */
export const list = createListing<TaskTemplateSummary>({
  table: 'taskTemplates',
  columns: resolveColumns({ schema: 'TaskTemplateSummary', table: 'taskTemplates' }),
  filters: {
    planId: (plan) => `(t."planId" is null or t."planId" = ${plan})`,
    communityId: (community) => `(t."communityId" is null or t."communityId" = ${community})`,
  },
})

/** The ID of a template, and two measures of the work that a schedule from this template requires. */
export interface ChosenTemplate {
  id: string
  taskCount: number
  bytes: number
}

/**
 * Returns the most specific template for each plan in the community. A template for the plan and the community takes
 * precedence over a template for the plan, then for the community, then for neither. If several templates are equally
 * specific, returns the oldest. Omits plans without a template.
 */
export async function findNearestTemplates(
  { db, organizationId }: Tenant,
  communityId: string,
  planIds: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, ChosenTemplate>> {
  const { rows } = await sql<ChosenTemplate & { planId: string | null }>`
    select p."planId", n."id", n."taskCount", n."bytes" from unnest(${[...new Set(planIds)]}::text[]) as p ("planId")
    cross join lateral (
      select t."id", t."taskCount", t."bytes" from "taskTemplates" as t
      where t."organizationId" = ${organizationId} and t."archivedAt" is null
        and (t."planId" is null or t."planId" = p."planId")
        and (t."communityId" is null or t."communityId" = ${communityId})
      order by t."planId" is null, t."communityId" is null, t."id" limit 1) as n`.execute(db)
  return new Map(rows.map(({ planId, ...chosen }) => [planId, chosen]))
}

/** Returns the existing vendors, with the fields that determine whether work can be assigned to them. */
export async function findVendors(
  { db, organizationId }: Tenant,
  ids: readonly string[],
): Promise<Pick<Vendor, 'id' | 'companyName' | 'status' | 'archivedAt'>[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Pick<Vendor, 'id' | 'companyName' | 'status' | 'archivedAt'>>`
    select "id", "companyName", "status", "archivedAt" from "vendors"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[])`.execute(db)
  return rows
}

export type StartingHome = Pick<
  Home,
  'id' | 'name' | 'communityId' | 'planId' | 'block' | 'lotNumber' | 'status' | 'archivedAt'
>

const HOME_COLUMNS = sql`h."id", h."name", h."communityId", h."planId", h."block", h."lotNumber", h."status", h."archivedAt"`

/**
 * Locks these homes until the transaction ends. All transactions that lock several homes lock them in the order of
 * their IDs.
 */
export async function lockHomes({ db, organizationId }: WriteCall, ids: readonly string[]): Promise<StartingHome[]> {
  const { rows } = await sql<StartingHome>`
    select ${HOME_COLUMNS} from "homes" as h
    where h."organizationId" = ${organizationId} and h."id" = any(${[...ids]}::text[])
    order by h."id" for no key update of h`.execute(db)
  return rows
}

/** Locks the homes of the community that are ready to start and have no tasks, up to a maximum number. */
export async function lockReadyHomes(
  { db, organizationId }: WriteCall,
  communityId: string,
  limit: number,
): Promise<StartingHome[]> {
  const { rows } = await sql<StartingHome>`
    select ${HOME_COLUMNS} from "homes" as h
    where h."organizationId" = ${organizationId} and h."communityId" = ${communityId} and h."archivedAt" is null
      and h."status" = 'ready_to_start'
      and not exists (select from "tasks" as t
        where t."organizationId" = ${organizationId} and t."homeId" = h."id" and t."archivedAt" is null)
    order by h."id" limit ${limit} for no key update of h`.execute(db)
  return rows
}

/** Returns the homes among these locked homes that have tasks. */
export async function findHomesWithTasks(
  { db, organizationId }: WriteCall,
  homeIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select h."id" from unnest(${[...homeIds]}::text[]) as h ("id")
    where exists (select from "tasks" as t
      where t."organizationId" = ${organizationId} and t."homeId" = h."id" and t."archivedAt" is null)`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
