import { sql } from 'kysely'
import type { OwnerSignature } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { MAX_SELECTIONS } from '../../costs/budgets/selection-queries.ts'
import { COMMITTED_STATUSES } from '../../statuses/order-statuses.ts'

export const { list, find, findAll, findOptional, lock, insert, update } = defineResource({
  schema: 'Selection',
  // The database computes this column, so that it can sum the price of a home using only an index.
  computed: { difference: 't."difference"' },
  filters: { dueBefore: (date) => `t."deadline" < ${date}` },
})

/** Stores the signature of the owner before the selection is approved. Does not increment the version. */
export async function storeSignature(
  { db, organizationId }: Tenant,
  id: string,
  signature: OwnerSignature,
): Promise<void> {
  await sql`
    update "selections" set "signature" = ${JSON.stringify(signature)}::jsonb
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
}

/** Returns the number of the home's selections with any status, but at most the maximum. */
export async function countSelections({ db, organizationId }: Tenant, homeId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as "count" from (
      select from "selections" where "organizationId" = ${organizationId} and "homeId" = ${homeId} limit ${MAX_SELECTIONS}
    ) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the status of the home's active selection of the option, ignoring the given selection. */
export async function findSelectionStatus(
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

/** Returns whether an order that is approved, or has a later status, refers to the selection. */
export async function isSelectionOrdered({ db, organizationId }: Tenant, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from "purchaseOrders"
    where "organizationId" = ${organizationId} and "optionSelectionId" = ${id} and "status" = any(${[...COMMITTED_STATUSES]}::text[])
    limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Returns the newest approved change order for the selection. Ignores the change order that already permitted an
 * earlier change.
 */
export async function findChangeOrderId(
  { db, organizationId }: Tenant,
  { id, changePoId }: { id: string; changePoId: string | null },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "optionSelectionId" = ${id} and "id" > ${changePoId ?? ''}
      and "poType" = 'change' and "status" = any(${[...COMMITTED_STATUSES]}::text[])
    order by "id" desc limit 1`.execute(db)
  return rows[0]?.id
}
