import { sql } from 'kysely'
import type { PurchaseOrder, PurchaseOrderLine } from '../../../client/contract.gen.ts'
import { later } from '../../database/transaction-drivers.ts'
import { noteChange, type WriteCall } from '../../http/call.ts'
import { resource, type Values } from '../../resources/resource.ts'
import { OPEN } from '../order-statuses.ts'

/** What follows from other columns and tables. */
type Computed = 'lines' | 'taskIds' | 'payableAmount' | 'balance'

export type NewOrder = Values<PurchaseOrder, Computed>

const LINES = `
  select coalesce(json_agg(json_build_object(
    'lineId', l."lineId", 'budgetLineId', l."budgetLineId", 'partId', l."partId", 'priceId', l."priceId", 'costCodeId', l."costCodeId", 'description', l."description",
    'quantity', l."quantity", 'unit', l."unit", 'unitPrice', l."unitPrice", 'taxPercent', l."taxPercent", 'taxAmount', l."taxAmount", 'total', l."total",
    'completedPercent', l."completedPercent", 'completedQuantity', l."completedQuantity", 'completedAmount', l."completedAmount") order by l."position"), '[]')
  from "purchaseOrderLines" as l where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id"`

// The condition on poIds is that of the index tasks_withOrders.
const TASKS = `(
  select coalesce(json_agg(k."id" order by k."id"), '[]') from "tasks" as k
  where k."organizationId" = t."organizationId" and k."homeId" = t."homeId" and k."poIds" <> '{}'
    and t."id" = any(k."poIds") and k."archivedAt" is null)`

export const { list, find, findAll, findOptional, lock, make, insertAll, update } = resource({
  schema: 'PurchaseOrder',
  table: 'purchaseOrders',
  prefix: 'po',
  computed: { lines: LINES, taskIds: TASKS, payableAmount: 't."payableAmount"', balance: 't."balance"' },
  long: ['lines', 'notes'],
  filters: {
    budgetLineId: (budgetLine) =>
      `t."id" in (select l."purchaseOrderId" from "purchaseOrderLines" as l where l."organizationId" = $1 and l."budgetLineId" = ${budgetLine})`,
    costCodeId: (costCode) =>
      `t."id" in (select l."purchaseOrderId" from "purchaseOrderLines" as l where l."organizationId" = $1 and l."costCodeId" = ${costCode})`,
  },
  sorts: { total: { column: 'totalInCents', from: (total) => `(${total}::numeric * 100)::bigint` } },
})

export async function insertLines(
  call: WriteCall,
  purchaseOrderId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  const inserted = call.db
    .insertInto('purchaseOrderLines')
    .values(
      lines.map((line, position) => ({ organizationId: call.organizationId, purchaseOrderId, position, ...line })),
    )
  await call.db.executeQuery(later(inserted.compile()))
  // What a line takes beside its description is 780 bytes at most.
  const linesBytes = lines.reduce((bytes, { description }) => bytes + 780 + Buffer.byteLength(description), 0)
  const measured = call.db
    .updateTable('purchaseOrders')
    .set({ linesBytes })
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', purchaseOrderId)
  await call.db.executeQuery(later(measured.compile()))
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

/** Writes how much of each line of a locked order is done, and that it was said now. */
export async function writeProgress(
  { db, organizationId, now }: WriteCall,
  purchaseOrderId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  const of = (field: 'completedPercent' | 'completedQuantity' | 'completedAmount') => lines.map((line) => line[field])
  await sql`
    with noted as (
      update "purchaseOrders" set "progressedAt" = ${now}
      where "organizationId" = ${organizationId} and "id" = ${purchaseOrderId}
    )
    update "purchaseOrderLines" as l set "completedPercent" = p."percent", "completedQuantity" = p."quantity",
      "completedAmount" = p."amount"
    from unnest(
      ${lines.map(({ lineId }) => lineId)}::text[], ${of('completedPercent')}::numeric[],
      ${of('completedQuantity')}::numeric[], ${of('completedAmount')}::numeric[]
    ) as p ("lineId", "percent", "quantity", "amount")
    where l."organizationId" = ${organizationId} and l."purchaseOrderId" = ${purchaseOrderId} and l."lineId" = p."lineId"`.execute(
    db,
  )
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
    select substring("number" from '^(.*)-') as "prefix", substring("number" from '[0-9]+$')::integer as "sequence"
    from "purchaseOrders" where "organizationId" = ${call.organizationId} and "homeId" = ${homeId}
    order by substring("number" from '[0-9]+$')::integer desc limit 1`.execute(call.db)
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
