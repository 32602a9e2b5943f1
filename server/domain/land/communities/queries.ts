import { sql } from 'kysely'
import type { Community } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { FINISHED_STATUSES } from '../home-statuses.ts'

export const {
  list,
  find,
  findAll,
  findOptional,
  lock,
  assertExist,
  insert,
  make,
  insertAll,
  updateAll,
  update,
  archive,
} = defineResource({
  schema: 'Community',
})

// A home occupies its lot until it is canceled, or archived before construction. The condition must match that of the
// unique index on lots.
export const LOT_IS_TAKEN_SQL = sql<boolean>`"status" <> 'cancelled' and ("archivedAt" is null or "status" = 'archived')`

/**
 * Returns the number of lots with a home. The result is exact while the community's row is locked, because adding a
 * home locks this row.
 */
export async function countTakenLots(call: Tenant, communityId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('communityId', '=', communityId)
    .where(LOT_IS_TAKEN_SQL)
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the number of lots with a home for each of several communities. Omits communities without homes. */
export async function countTakenLotsByCommunity(
  { db, organizationId }: Tenant,
  communityIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (communityIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; count: number }>`
    select "communityId" as "id", count(*) as "count" from "homes"
    where "organizationId" = ${organizationId} and "communityId" = any(${[...communityIds]}::text[]) and ${LOT_IS_TAKEN_SQL}
    group by "communityId"`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Locks the communities with these IDs, in the order of their IDs. Returns those that exist. */
export async function lockCommunities(call: WriteCall, ids: readonly string[]): Promise<Community[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select "id" from "communities"
    where "organizationId" = ${call.organizationId} and "id" = any(${[...new Set(ids)]}::text[])
    order by "id" for no key update`.execute(call.db)
  return findAll(
    call,
    rows.map(({ id }) => id),
  )
}

/** Returns the number of the community's homes that are neither finished nor archived. */
export async function countOpenHomes(call: Tenant, communityId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('communityId', '=', communityId)
    .where('archivedAt', 'is', null)
    .where('status', 'not in', [...FINISHED_STATUSES])
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Computes again when vendors are notified of tasks in a community whose time zone has changed. The local time of day
 * stays the same.
 */
export async function moveNoticeTimes(
  { db, organizationId }: WriteCall,
  communityId: string,
  from: string,
  to: string,
): Promise<void> {
  await sql`
    update "tasks" set "tellAt" = "tellAt" at time zone ${from} at time zone ${to}
    where "organizationId" = ${organizationId} and "communityId" = ${communityId} and "tellAt" is not null
      and "status" = 'not_started'`.execute(db)
}
