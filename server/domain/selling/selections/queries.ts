import { sql } from 'kysely'
import type { Tenant } from '../../../platform/calls/call.ts'
import { resource } from '../../../platform/resources/resource.ts'
import { MOST_SELECTIONS } from '../../costs/budgets/selection-queries.ts'
import { COMMITTED } from '../../statuses/order-statuses.ts'

export const { list, find, findAll, findOptional, lock, insert, update } = resource({
  schema: 'Selection',
  // Computed by the database as a column, so that the price of a home is summed up from an index.
  computed: { difference: 't."difference"' },
  filters: { dueBefore: (date) => `t."deadline" < ${date}` },
})

/** How many selections the home has, of any status, counted up to the most that it can have. */
export async function countOf({ db, organizationId }: Tenant, homeId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as "count" from (
      select from "selections" where "organizationId" = ${organizationId} and "homeId" = ${homeId} limit ${MOST_SELECTIONS}
    ) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** The status of the home's selection of the option that is neither declined nor cancelled, apart from one. */
export async function statusOfOption(
  { db, organizationId }: Tenant,
  { homeId, optionId, except }: { homeId: string; optionId: string; except: string | null },
): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    select "status" from "selections"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "optionId" = ${optionId}
      and "status" not in ('declined', 'cancelled') and "id" is distinct from ${except}
    limit 1`.execute(db)
  return rows[0]?.status
}

/** Whether an order that is approved or further names the selection. */
export async function isOrdered({ db, organizationId }: Tenant, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from "purchaseOrders"
    where "organizationId" = ${organizationId} and "optionSelectionId" = ${id} and "status" = any(${[...COMMITTED]}::text[])
    limit 1`.execute(db)
  return rows.length > 0
}

/** The newest change order that names the selection and is approved or further, newer than the one it was last altered under. */
export async function changeOrderOf(
  { db, organizationId }: Tenant,
  { id, changePoId }: { id: string; changePoId: string | null },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "optionSelectionId" = ${id} and "id" > ${changePoId ?? ''}
      and "poType" = 'change' and "status" = any(${[...COMMITTED]}::text[])
    order by "id" desc limit 1`.execute(db)
  return rows[0]?.id
}
