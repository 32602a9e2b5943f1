import { CompiledQuery, sql } from 'kysely'
import type { PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource, type NewRow, type NewRowValues } from '../../../platform/resources/resource.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'

/** The fields that come from other columns and tables. */
type ComputedField = 'lines' | 'taskIds' | 'payableAmount' | 'balance'

export type NewOrder = NewRowValues<PurchaseOrder, ComputedField>

const LINE_FIELDS = [
  ...['lineId', 'budgetLineId', 'partId', 'priceId', 'costCodeId', 'description', 'quantity', 'unit', 'unitPrice'],
  ...['taxPercent', 'taxAmount', 'total', 'completedPercent', 'completedQuantity', 'completedAmount'],
] as const satisfies readonly (keyof PurchaseOrderLine)[]

const LINES_SQL = `
  select coalesce(json_agg(json_build_object(${LINE_FIELDS.map((field) => `'${field}', l."${field}"`).join(', ')})
    order by l."position"), '[]')
  from "purchaseOrderLines" as l where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id"`

// The condition on poIds must match that of the index tasks_withOrders.
const TASK_IDS_SQL = `(
  select coalesce(json_agg(k."id" order by k."id"), '[]') from "tasks" as k
  where k."organizationId" = t."organizationId" and k."homeId" = t."homeId" and k."poIds" <> '{}'
    and t."id" = any(k."poIds") and k."archivedAt" is null)`

const orders = defineResource({
  schema: 'PurchaseOrder',
  computed: { lines: LINES_SQL, taskIds: TASK_IDS_SQL, payableAmount: 't."payableAmount"', balance: 't."balance"' },
  long: ['lines', 'notes'],
  filters: {
    budgetLineId: (budgetLine) =>
      `t."id" in (select l."purchaseOrderId" from "purchaseOrderLines" as l where l."organizationId" = $1 and l."budgetLineId" = ${budgetLine})`,
    costCodeId: (costCode) =>
      `t."id" in (select l."purchaseOrderId" from "purchaseOrderLines" as l where l."organizationId" = $1 and l."costCodeId" = ${costCode})`,
  },
  sorts: { total: { column: 'totalInCents', from: (total) => `(${total}::numeric * 100)::bigint` } },
})

export const { list, find, findAll, findOptional, lock, make, update } = orders

/** Stores a new order with its lines. */
export async function insert(
  call: WriteCall,
  created: NewRow<PurchaseOrder, ComputedField>,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  await orders.insertAll(call, [created], { linesBytes: estimateBytes(lines) })
  await insertLines(call, created.id, lines)
}

/** Returns a new draft order: nothing of it is completed or paid, and no task refers to it. */
export function toDraftOrder(
  { version, createdBy, createdAt, updatedAt, ...created }: NewRow<PurchaseOrder, ComputedField>,
  lines: PurchaseOrderLine[],
): PurchaseOrder {
  const computed = { lines, taskIds: [], payableAmount: 0, balance: created.total }
  return { ...created, ...computed, version, createdBy, createdAt, updatedAt }
}

function insertLines(
  { db, organizationId }: WriteCall,
  purchaseOrderId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<unknown> {
  const provided = JSON.stringify(lines.map((line, position) => ({ ...line, position })))
  return db.executeQuery(CompiledQuery.raw(INSERT_LINES, [organizationId, purchaseOrderId, provided]))
}

const LINE_COLUMNS = ['position', ...LINE_FIELDS].map((column) => `"${column}"`).join(', ')
const INSERT_LINES = `
  insert into "purchaseOrderLines" ("organizationId", "purchaseOrderId", ${LINE_COLUMNS})
  select $1, $2, ${LINE_COLUMNS} from json_populate_recordset(null::"purchaseOrderLines", $3::json)`

/** Returns the maximum size of the lines in bytes: 780 each in addition to the description. */
function estimateBytes(lines: readonly PurchaseOrderLine[]): number {
  return lines.reduce((bytes, { description }) => bytes + 780 + Buffer.byteLength(description), 0)
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
  await call.db
    .updateTable('purchaseOrders')
    .set({ linesBytes: estimateBytes(lines) })
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', purchaseOrderId)
    .execute()
}

/** Writes the progress of each line of a locked order, with the current time. */
export async function storeProgress(
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

/** Increments the version of a locked order whose lines have changed but whose totals have not. */
export async function bumpVersion(call: WriteCall, id: string): Promise<PurchaseOrder> {
  await sql`
    update "purchaseOrders" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  recordChange(call, id, 'updated', ['lines'])
  return find(call, id)
}

/**
 * Returns the last order number of the home, in its two parts. The result is exact while the home's row is locked,
 * because every new order locks it.
 */
export async function findLastNumber(
  call: WriteCall,
  homeId: string,
): Promise<{ prefix: string; sequence: number } | undefined> {
  const { rows } = await sql<{ prefix: string; sequence: number }>`
    select substring("number" from '^(.*)-') as "prefix", substring("number" from '[0-9]+$')::integer as "sequence"
    from "purchaseOrders" where "organizationId" = ${call.organizationId} and "homeId" = ${homeId}
    order by substring("number" from '[0-9]+$')::integer desc limit 1`.execute(call.db)
  return rows[0]
}

/** Returns the position of a home among all homes of the organization, starting at 1. */
export async function findHomePosition(call: WriteCall, homeId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('id', '<=', homeId)
    .executeTakeFirstOrThrow()
  return count
}

/** Locks all orders created from the bid until the transaction ends, and returns them. */
export async function lockOrdersOfBid(call: WriteCall, bidId: string): Promise<PurchaseOrder[]> {
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

/** Returns the order for the bid and the home that is not void. */
export async function findActiveOrder(
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

/**
 * Returns the open amount with the vendor. The result is exact while the vendor's row is locked, because every issue
 * locks it.
 */
export async function sumOpenWithVendor(call: WriteCall, vendorId: string): Promise<number> {
  const { total } = await call.db
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('total'), eb.lit(0)).as('total'))
    .where('organizationId', '=', call.organizationId)
    .where('vendorId', '=', vendorId)
    .where('status', 'in', [...OPEN_STATUSES])
    .executeTakeFirstOrThrow()
  return total
}
