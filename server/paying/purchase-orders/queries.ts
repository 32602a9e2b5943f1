import { sql } from 'kysely'
import type { PurchaseOrder, PurchaseOrderLine } from '../../../client/contract.gen.ts'
import { noteChange, type WriteCall } from '../../http/call.ts'
import { resource, type Values } from '../../resources/resource.ts'
import { OPEN } from '../order-statuses.ts'

export type NewOrder = Values<PurchaseOrder, 'lines'>

const LINES = `
  select coalesce(json_agg(json_build_object(
    'lineId', l."lineId", 'budgetLineId', l."budgetLineId", 'partId', l."partId", 'priceId', l."priceId", 'costCodeId', l."costCodeId", 'description', l."description",
    'quantity', l."quantity", 'unit', l."unit", 'unitPrice', l."unitPrice", 'taxPercent', l."taxPercent", 'taxAmount', l."taxAmount", 'total', l."total") order by l."position"), '[]')
  from "purchaseOrderLines" as l where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id"`

const DESCRIPTIONS = `(
  select string_agg(l."description", ' ') from "purchaseOrderLines" as l
  where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id")`

export const { list, find, findAll, findOptional, lock, insert, update } = resource({
  schema: 'PurchaseOrder',
  table: 'purchaseOrders',
  prefix: 'po',
  computed: { lines: LINES },
  long: ['lines', 'notes'],
  filters: {
    budgetLineId: (budgetLine) =>
      `t."id" in (select l."purchaseOrderId" from "purchaseOrderLines" as l where l."organizationId" = $1 and l."budgetLineId" = ${budgetLine})`,
    costCodeId: (costCode) =>
      `t."id" in (select l."purchaseOrderId" from "purchaseOrderLines" as l where l."organizationId" = $1 and l."costCodeId" = ${costCode})`,
  },
  search: ['number', 'notes', { sql: DESCRIPTIONS }],
  sorts: { total: { column: 'totalInCents', from: (total) => `(${total}::numeric * 100)::bigint` } },
})

export async function insertLines(
  call: WriteCall,
  purchaseOrderId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  await call.db
    .insertInto('purchaseOrderLines')
    .values(
      lines.map((line, position) => ({ organizationId: call.organizationId, purchaseOrderId, position, ...line })),
    )
    .execute()
  // What a line takes beside its description is 660 bytes at most.
  const linesBytes = lines.reduce((bytes, { description }) => bytes + 660 + Buffer.byteLength(description), 0)
  await call.db
    .updateTable('purchaseOrders')
    .set({ linesBytes })
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', purchaseOrderId)
    .execute()
}

export async function replaceLines(
  call: WriteCall,
  purchaseOrderId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  await call.db
    .deleteFrom('purchaseOrderLines')
    .where('organizationId', '=', call.organizationId)
    .where('purchaseOrderId', '=', purchaseOrderId)
    .execute()
  await insertLines(call, purchaseOrderId, lines)
}

/** Raises the version of a locked order whose lines have changed but whose sums have not. */
export async function touch(call: WriteCall, id: string): Promise<PurchaseOrder> {
  await sql`
    update "purchaseOrders" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  noteChange(call, id, 'updated', ['lines'])
  return find(call, id)
}

/**
 * The last number of the home, in its two parts; exact while the home's row is locked, because every new order locks
 * it.
 */
export async function lastNumberOf(
  call: WriteCall,
  homeId: string,
): Promise<{ prefix: string; sequence: number } | undefined> {
  const { rows } = await sql<{ prefix: string; sequence: number }>`
    select substring("number" from '^(.*)-') as "prefix", substring("number" from '[0-9]+$')::int as "sequence"
    from "purchaseOrders" where "organizationId" = ${call.organizationId} and "homeId" = ${homeId}
    order by "sequence" desc limit 1`.execute(call.db)
  return rows[0]
}

/** The position of a home among all homes of the organization, starting at 1. */
export async function placeOfHome(call: WriteCall, homeId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('id', '<=', homeId)
    .executeTakeFirstOrThrow()
  return count
}

/** All orders made from the bid, each locked until the transaction ends. */
export async function lockOfBid(call: WriteCall, bidId: string): Promise<PurchaseOrder[]> {
  const rows = await call.db
    .selectFrom('purchaseOrders')
    .select('id')
    .where('organizationId', '=', call.organizationId)
    .where('bidId', '=', bidId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return findAll(
    call,
    rows.map((row) => row.id),
  )
}

/** The order for the bid and the home that is not void. */
export async function standingOrder(
  call: WriteCall,
  bidId: string,
  homeId: string,
): Promise<{ number: string } | undefined> {
  return call.db
    .selectFrom('purchaseOrders')
    .select('number')
    .where('organizationId', '=', call.organizationId)
    .where('bidId', '=', bidId)
    .where('homeId', '=', homeId)
    .where('status', '<>', 'void')
    .limit(1)
    .executeTakeFirst()
}

/** The open amount with the vendor; exact while the vendor's row is locked, because every issue locks it. */
export async function openWith(call: WriteCall, vendorId: string): Promise<number> {
  const { total } = await call.db
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('total'), eb.lit(0)).as('total'))
    .where('organizationId', '=', call.organizationId)
    .where('vendorId', '=', vendorId)
    .where('status', 'in', [...OPEN])
    .executeTakeFirstOrThrow()
  return total
}
