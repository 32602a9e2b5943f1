import { sql } from 'kysely'
import type { BuyerChange, OwnerSignature } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({ schema: 'BuyerChange' })

/** Stores the signature of the owner before the change is approved. Does not increment the version. */
export async function storeSignature(
  { db, organizationId }: Tenant,
  id: string,
  signature: OwnerSignature,
): Promise<void> {
  await sql`
    update "buyerChanges" set "signature" = ${JSON.stringify(signature)}::jsonb
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
}

/** Returns the number of the sale's next change. The caller must have locked the sale. */
export async function findNextChangeNumber({ db, organizationId }: Tenant, saleId: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select "number" as "last" from "buyerChanges"
    where "organizationId" = ${organizationId} and "saleId" = ${saleId}
    order by "number" desc limit 1`.execute(db)
  return (rows[0]?.last ?? 0) + 1
}

/**
 * Returns the open changes of a home. The caller must have locked the home. A selection is in at most one open change.
 */
export async function findOpenChanges(call: Tenant, homeId: string): Promise<BuyerChange[]> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "buyerChanges"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "status" in ('draft', 'sent')
    order by "id"`.execute(call.db)
  return rows.length === 0
    ? []
    : findAll(
        call,
        rows.map(({ id }) => id),
      )
}

/** Returns the open change that contains the selection; undefined if there is none. */
export async function findOpenChangeOfSelection(
  call: Tenant,
  { id, homeId }: { id: string; homeId: string },
): Promise<BuyerChange | undefined> {
  const open = await findOpenChanges(call, homeId)
  return open.find(({ lines }) => lines.some(({ optionSelectionId }) => optionSelectionId === id))
}
