import { sql } from 'kysely'
import type { BuyerChange } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({ schema: 'BuyerChange' })

/** Returns the next number of a change within the sale. The caller locks the sale. */
export async function nextNumber({ db, organizationId }: Tenant, saleId: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select "number" as "last" from "buyerChanges"
    where "organizationId" = ${organizationId} and "saleId" = ${saleId}
    order by "number" desc limit 1`.execute(db)
  return (rows[0]?.last ?? 0) + 1
}

/** Returns the open changes of a home. The caller locks the home. At most one contains a given selection. */
export async function findOpen(call: Tenant, homeId: string): Promise<BuyerChange[]> {
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

/** Returns the open change of the home that contains the selection; undefined without one. */
export async function findOpenWith(
  call: Tenant,
  { id, homeId }: { id: string; homeId: string },
): Promise<BuyerChange | undefined> {
  const open = await findOpen(call, homeId)
  return open.find(({ lines }) => lines.some(({ optionSelectionId }) => optionSelectionId === id))
}
