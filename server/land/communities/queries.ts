import { sql } from 'kysely'
import type { Community } from '../../../client/contract.gen.ts'
import type { Db } from '../../database/database.ts'
import { resource } from '../../resources/resource.ts'
import { FINISHED } from '../home-statuses.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, update, archive } = resource<Community>({
  table: 'communities',
  prefix: 'com',
  columns: {
    id: 'id',
    name: 'text',
    code: 'text?',
    accountingId: 'text?',
    externalId: 'text?',
    status: 'enum',
    city: 'text?',
    state: 'text?',
    postalCode: 'text?',
    timeZone: 'text',
    lotCount: 'integer?',
    version: 'integer',
    createdBy: 'json',
    createdAt: 'instant',
    updatedAt: 'instant',
    archivedAt: 'instant?',
  },
  search: ['name', 'code', 'city', 'state', 'postalCode'],
})

// A home takes its lot until it is cancelled, or archived without having been built. The unique index on lots says the same.
const LOT_IS_TAKEN = sql<boolean>`"status" <> 'cancelled' and ("archivedAt" is null or "status" = 'archived')`

/** How many lots of the community have a home. Exact while the community's row is locked, as every new home locks it. */
export async function countTakenLots(db: Db, organizationId: string, communityId: string): Promise<number> {
  const { count } = await db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('communityId', '=', communityId)
    .where(LOT_IS_TAKEN)
    .executeTakeFirstOrThrow()
  return count
}

/** How many homes of the community are in use and not finished. */
export async function countOpenHomes(db: Db, organizationId: string, communityId: string): Promise<number> {
  const { count } = await db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('communityId', '=', communityId)
    .where('archivedAt', 'is', null)
    .where('status', 'not in', [...FINISHED])
    .executeTakeFirstOrThrow()
  return count
}
