import { sql } from 'kysely'
import type { Home } from '../../../client/contract.gen.ts'
import type { Db } from '../../database/database.ts'
import { resource } from '../../resources/resource.ts'
import { FINISHED } from './home.ts'

export const { list, find, findAll, peek, lock, assertExist, insert, update, archive } = resource<Home>({
  table: 'homes',
  prefix: 'hom',
  columns: {
    id: 'id',
    name: 'text',
    communityId: 'id',
    lotNumber: 'text?',
    block: 'text?',
    homeType: 'enum',
    address: 'json?',
    accountingId: 'text?',
    externalId: 'text?',
    status: 'enum',
    statusBeforeHold: 'enum?',
    startDate: 'date?',
    actualCompletionDate: 'date?',
    closingDate: 'date?',
    budgetLockedAt: 'instant?',
    version: 'integer',
    createdBy: 'json',
    createdAt: 'instant',
    updatedAt: 'instant',
    archivedAt: 'instant?',
  },
  search: [
    'name',
    'lotNumber',
    'block',
    {
      sql: `concat_ws(' ', t."address"->>'line1', t."address"->>'line2', t."address"->>'city', t."address"->>'postalCode')`,
    },
  ],
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
export async function countOpen(db: Db, organizationId: string, communityId: string): Promise<number> {
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

/** How many purchase orders of the home are neither void nor declined nor closed. */
export async function countOpenOrders(db: Db, organizationId: string, homeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('homeId', '=', homeId)
    .where('status', 'not in', ['void', 'declined', 'closed'])
    .executeTakeFirstOrThrow()
  return count
}
