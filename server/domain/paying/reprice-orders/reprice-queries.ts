import { type RawBuilder, sql } from 'kysely'
import type { Contract, PurchaseOrder } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { PENDING_STATUSES, UNSETTLED_STATUSES } from '../../statuses/order-statuses.ts'

/** An order with parts that is neither settled nor void, and the community of its home. */
export interface OpenOrder {
  id: string
  communityId: string
  planId: string | null
  lineCount: number
}

/**
 * Locks the vendor's open orders with parts until the transaction ends, in the order of their IDs. Includes orders of
 * any revision of the contract, and orders with neither a contract nor a bid.
 */
export async function lockOpenOrders(
  call: WriteCall,
  contract: Contract,
  communityId: string | null,
  max: number,
): Promise<OpenOrder[]> {
  const { db, organizationId } = call
  const found = await findOpenOrders(call, contract, communityId, sql`true`, max)
  const { rows: locked } = await sql<{ id: string }>`
    select "id" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "id" = any(${found.map(({ id }) => id)}::text[])
    order by "id" for no key update`.execute(db)
  const ids = locked.map(({ id }) => id)
  // Read the orders again, because another transaction may have changed them before they were locked.
  return findOpenOrders(call, contract, communityId, sql`o."id" = any(${ids}::text[])`, max)
}

async function findOpenOrders(
  { db, organizationId }: WriteCall,
  { vendorId, number }: Contract,
  communityId: string | null,
  condition: RawBuilder<unknown>,
  max: number,
): Promise<OpenOrder[]> {
  const { rows } = await sql<OpenOrder>`
    select o."id", h."communityId", h."planId", parts."count" as "lineCount"
    from "purchaseOrders" as o
    join "homes" as h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    cross join lateral (
      select count(*)::integer as "count" from "purchaseOrderLines" as l
      where l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id" and l."partId" is not null
    ) as parts
    where o."organizationId" = ${organizationId} and o."vendorId" = ${vendorId}
      and o."status" = any(${[...PENDING_STATUSES, ...UNSETTLED_STATUSES]}::text[]) and o."bidId" is null and parts."count" > 0
      and (o."contractId" is null or o."contractId" in (
        select c."id" from "contracts" as c where c."organizationId" = ${organizationId} and c."number" = ${number}))
      and (${communityId}::text is null or h."communityId" = ${communityId}) and ${condition}
    order by o."id" limit ${max}`.execute(db)
  return rows
}

/** Writes the new prices of locked orders, in two statements. */
export async function storePrices(call: WriteCall, orders: readonly PurchaseOrder[]): Promise<void> {
  if (orders.length === 0) return
  const { db, organizationId, now } = call
  const lines = orders.flatMap(({ id, lines }) =>
    lines.flatMap((line) => (line.partId === null ? [] : [{ ...line, orderId: id }])),
  )
  await sql`
    update "purchaseOrderLines" as l set "unitPrice" = w."unitPrice", "priceId" = w."priceId",
      "taxAmount" = w."taxAmount", "total" = w."total"
    from unnest(
      ${lines.map((line) => line.orderId)}::text[], ${lines.map((line) => line.lineId)}::text[],
      ${lines.map((line) => line.unitPrice)}::numeric[], ${lines.map((line) => line.priceId)}::text[],
      ${lines.map((line) => line.taxAmount)}::numeric[], ${lines.map((line) => line.total)}::numeric[]
    ) as w ("orderId", "lineId", "unitPrice", "priceId", "taxAmount", "total")
    where l."organizationId" = ${organizationId} and l."purchaseOrderId" = w."orderId" and l."lineId" = w."lineId"`.execute(
    db,
  )
  await sql`
    update "purchaseOrders" as o set "subtotal" = w."subtotal", "taxTotal" = w."taxTotal", "total" = w."total",
      "contractId" = w."contractId",
      "version" = o."version" + 1, "updatedAt" = ${now}
    from unnest(
      ${orders.map((order) => order.id)}::text[], ${orders.map((order) => order.subtotal)}::numeric[],
      ${orders.map((order) => order.taxTotal)}::numeric[], ${orders.map((order) => order.total)}::numeric[],
      ${orders.map((order) => order.contractId)}::text[]
    ) as w ("id", "subtotal", "taxTotal", "total", "contractId")
    where o."organizationId" = ${organizationId} and o."id" = w."id"`.execute(db)
  for (const { id } of orders) recordChange(call, id, 'updated', ['lines', 'total'])
}
