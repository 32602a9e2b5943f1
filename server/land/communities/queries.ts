import { sql } from 'kysely'
import type { Tenant } from '../../http/call.ts'
import { resource } from '../../resources/resource.ts'
import { FINISHED } from '../home-statuses.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, update, archive } = resource({
  schema: 'Community',
  table: 'communities',
  prefix: 'com',
  search: ['name', 'code', 'city', 'state', 'postalCode'],
})

// A home takes its lot until it is cancelled, or archived before it was built. The unique index on lots has the same
// condition.
export const LOT_IS_TAKEN = sql<boolean>`"status" <> 'cancelled' and ("archivedAt" is null or "status" = 'archived')`

/**
 * How many lots of the community have a home. Exact while the community's row is locked, because every new home locks
 * it.
 */
export async function countTakenLots(call: Tenant, communityId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('communityId', '=', communityId)
    .where(LOT_IS_TAKEN)
    .executeTakeFirstOrThrow()
  return count
}

/** How many homes of the community are neither archived nor finished. */
export async function countOpenHomes(call: Tenant, communityId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('communityId', '=', communityId)
    .where('archivedAt', 'is', null)
    .where('status', 'not in', [...FINISHED])
    .executeTakeFirstOrThrow()
  return count
}
