import type { Tenant } from '../../http/call.ts'
import { PENDING, UNSETTLED } from '../../paying/order-statuses.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, update, archive } = resource({
  schema: 'Home',
  table: 'homes',
  prefix: 'hom',
  search: [
    'name',
    'lotNumber',
    'block',
    {
      sql: `concat_ws(' ', t."address"->>'line1', t."address"->>'line2', t."address"->>'city', t."address"->>'postalCode')`,
    },
  ],
})

/** How many purchase orders of the home still have to be decided or settled. */
export async function countOpenOrders(call: Tenant, homeId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('homeId', '=', homeId)
    .where('status', 'in', [...PENDING, ...UNSETTLED])
    .executeTakeFirstOrThrow()
  return count
}
