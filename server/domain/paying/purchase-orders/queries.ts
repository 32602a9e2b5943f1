import { CompiledQuery, sql } from 'kysely'
import type { PurchaseOrder, PurchaseOrderLine } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource, type NewRow, type NewRowValues } from '../../../platform/resources/resource.ts'
import { COMMITTED_STATUSES, OPEN_STATUSES, ORDERED_STATUSES } from '../../statuses/order-statuses.ts'

/** The fields that come from other columns and tables. */
type ComputedField = 'lines' | 'taskIds' | 'unbilledAmount' | 'payableAmount' | 'balance' | 'whole'

export type NewOrder = NewRowValues<PurchaseOrder, ComputedField>

const LINE_FIELDS = [
  ...['lineId', 'budgetLineId', 'partId', 'priceId', 'costCodeId', 'description', 'quantity', 'unit', 'unitPrice'],
  ...['taxPercent', 'taxAmount', 'total', 'completedPercent', 'completedQuantity', 'completedAmount'],
  ...['storedAmount', 'retainagePercent'],
] as const satisfies readonly (keyof PurchaseOrderLine)[]

const LINES_SQL = `
  select coalesce(json_agg(json_build_object(${LINE_FIELDS.map((field) => `'${field}', l."${field}"`).join(', ')})
    order by l."position"), '[]')
  from "purchaseOrderLines" as l where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id"`

// The condition on poIds must match the condition of the index tasks_withOrders.
const TASK_IDS_SQL = `(
  select coalesce(json_agg(k."id" order by k."id"), '[]') from "tasks" as k
  where k."organizationId" = t."organizationId" and k."homeId" = t."homeId" and k."poIds" <> '{}'
    and t."id" = any(k."poIds") and k."archivedAt" is null)`

/** The amounts that are totaled over an order and its change orders. */
const SUMMED = [
  ...['completedAmount', 'storedAmount', 'billedAmount', 'unbilledAmount', 'retainedAmount', 'releasedAmount'],
  ...['releasingAmount', 'paidAmount', 'payableAmount', 'reservedAmount'],
] as const

const ISSUED = texts(ORDERED_STATUSES)
const DECIDED = texts(COMMITTED_STATUSES)
const ADDITION = `m."total" >= 0 and m."status" in (${ISSUED})`
const DEDUCTION = `m."total" < 0 and m."status" in (${DECIDED})`
const COUNTED = `coalesce(sum(m."total") filter (where (${ADDITION}) or (${DEDUCTION})), 0)`

// The totals of an independent order with its change orders, of which there are few. Additions and deductions are zero
// if there are no change orders.
const WHOLE = `
  case when t."rootPoId" is null then (
    select json_build_object(
      'total', case when t."status" = 'void' then 0 else t."total" + ${COUNTED} end, 'originalTotal', t."total",
      'additions', coalesce(sum(m."total") filter (where ${ADDITION}), 0),
      'deductions', coalesce(sum(m."total") filter (where ${DEDUCTION}), 0),
      'pendingChanges', coalesce(sum(m."total") filter (
        where m."status" not in ('void', 'declined') and not (${ADDITION}) and not (${DEDUCTION})), 0),
      ${SUMMED.map((field) => `'${field}', t."${field}" + coalesce(sum(m."${field}"), 0)`).join(', ')},
      'requiredRetainage', t."requiredRetainage",
      'releasableAmount', case when t."status" = 'closed' then 0 else
        greatest(abs(t."retainedAmount" + t."releasedAmount" + coalesce(sum(m."retainedAmount" + m."releasedAmount"), 0))
          - abs(t."requiredRetainage")
          - abs(t."releasedAmount" + t."releasingAmount" + coalesce(sum(m."releasedAmount" + m."releasingAmount"), 0)), 0)
          * sign(t."total") end,
      'balance', case when t."status" in ('void', 'closed') then 0
        else t."total" + ${COUNTED} - t."paidAmount" - coalesce(sum(m."paidAmount"), 0) end)
    from "purchaseOrders" as m where m."organizationId" = t."organizationId" and m."rootPoId" = t."id") end`

function texts(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ')
}

const orders = defineResource({
  schema: 'PurchaseOrder',
  computed: {
    ...{ lines: LINES_SQL, taskIds: TASK_IDS_SQL, whole: WHOLE },
    ...{ unbilledAmount: 't."unbilledAmount"', payableAmount: 't."payableAmount"', balance: 't."balance"' },
  },
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

/** Returns the record of a new draft order, which has no completed work, payments, or tasks yet. */
export function toDraftOrder(
  { version, createdBy, createdAt, updatedAt, ...created }: NewRow<PurchaseOrder, ComputedField>,
  lines: PurchaseOrderLine[],
): PurchaseOrder {
  const { total, rootPoId } = created
  const computed = { lines, taskIds: [], unbilledAmount: 0, payableAmount: 0, balance: total }
  const none = Object.fromEntries(SUMMED.map((field) => [field, 0])) as Record<(typeof SUMMED)[number], number>
  const changes = { additions: 0, deductions: 0, pendingChanges: 0, requiredRetainage: 0, releasableAmount: 0 }
  const whole = rootPoId === null ? { total, originalTotal: total, ...changes, ...none, balance: total } : null
  return { ...created, ...computed, whole, version, createdBy, createdAt, updatedAt }
}

function insertLines(
  { db, organizationId }: WriteCall,
  poId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<unknown> {
  const provided = JSON.stringify(lines.map((line, position) => ({ ...line, position })))
  return db.executeQuery(CompiledQuery.raw(INSERT_LINES, [organizationId, poId, provided]))
}

const LINE_COLUMNS = ['position', ...LINE_FIELDS].map((column) => `"${column}"`).join(', ')
const INSERT_LINES = `
  insert into "purchaseOrderLines" ("organizationId", "purchaseOrderId", ${LINE_COLUMNS})
  select o."id", $2::text, ${LINE_COLUMNS.replaceAll(/"\w+"/g, 'l.$&')}
  from "organizations" as o cross join json_populate_recordset(null::"purchaseOrderLines", $3::json) as l
  where o."id" = $1`

/** Estimates the maximum size of the lines in bytes: 780 for each line, plus its description. */
function estimateBytes(lines: readonly PurchaseOrderLine[]): number {
  return lines.reduce((bytes, { description }) => bytes + 780 + Buffer.byteLength(description), 0)
}

export async function replaceOrderLines(
  call: WriteCall,
  poId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  await call.db
    .deleteFrom('purchaseOrderLines')
    .where('organizationId', '=', call.organizationId)
    .where('purchaseOrderId', '=', poId)
    .execute()
  await insertLines(call, poId, lines)
  await call.db
    .updateTable('purchaseOrders')
    .set({ linesBytes: estimateBytes(lines) })
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', poId)
    .execute()
}

/** Writes the progress of each line of a locked order, with the current time. */
export async function storeProgress(
  { db, organizationId, now }: WriteCall,
  poId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  const of = (field: 'completedPercent' | 'completedQuantity' | 'completedAmount' | 'storedAmount') =>
    lines.map((line) => line[field])
  await sql`
    update "purchaseOrders" set "progressedAt" = ${now}
    where "organizationId" = ${organizationId} and "id" = ${poId}`.execute(db)
  await sql`
    update "purchaseOrderLines" as l set "completedPercent" = p."percent", "completedQuantity" = p."quantity",
      "completedAmount" = p."amount", "storedAmount" = p."stored"
    from unnest(
      ${lines.map(({ lineId }) => lineId)}::text[], ${of('completedPercent')}::numeric[],
      ${of('completedQuantity')}::numeric[], ${of('completedAmount')}::numeric[], ${of('storedAmount')}::numeric[]
    ) as p ("lineId", "percent", "quantity", "amount", "stored")
    where l."organizationId" = ${organizationId} and l."purchaseOrderId" = ${poId} and l."lineId" = p."lineId"`.execute(
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
 * Returns the prefix and the sequence number of the last order number that Plumbline assigned in the home. The result
 * is exact while the home's row is locked, because every creation of an order locks that row.
 */
export async function findLastOrderNumber(
  call: WriteCall,
  homeId: string,
): Promise<{ prefix: string; sequence: number } | undefined> {
  const { rows } = await sql<{ prefix: string; sequence: number }>`
    select substring("number" from '^(.*)-') as "prefix", substring("number" from '[0-9]+$')::integer as "sequence"
    from "purchaseOrders" where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and not "migrated"
    order by substring("number" from '[0-9]+$')::integer desc limit 1`.execute(call.db)
  return rows[0]
}

/**
 * Returns the numbers, in uppercase, of the home's orders from other systems, ignoring void orders. The result is exact
 * while the home's row is locked.
 */
export async function findMigratedNumbers(call: WriteCall, homeId: string): Promise<ReadonlySet<string>> {
  const rows = await call.db
    .selectFrom('purchaseOrders')
    .select('number')
    .where('organizationId', '=', call.organizationId)
    .where('homeId', '=', homeId)
    .where('migrated', '=', true)
    .where('status', '<>', 'void')
    .execute()
  return new Set(rows.map(({ number }) => number.toUpperCase()))
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

/** Returns the order for the bid and the home, ignoring void orders. */
export async function findActiveOrderOfBid(
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
 * Returns the total of the open orders of the vendor. The result is exact while the vendor's row is locked, because
 * issuing an order locks this row.
 */
export async function sumOpenOrders(call: WriteCall, vendorId: string): Promise<number> {
  const { total } = await call.db
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('total'), eb.lit(0)).as('total'))
    .where('organizationId', '=', call.organizationId)
    .where('vendorId', '=', vendorId)
    .where('status', 'in', [...OPEN_STATUSES])
    .executeTakeFirstOrThrow()
  return total
}

/** Returns whether the warranty request exists and belongs to the home. */
export async function hasWarrantyRequest(
  { db, organizationId }: Tenant,
  homeId: string,
  requestId: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "warrantyRequests"
    where "organizationId" = ${organizationId} and "id" = ${requestId} and "homeId" = ${homeId}`.execute(db)
  return rows.length > 0
}

/**
 * Returns the IDs of the given orders, of their root orders, and of all change orders of these root orders, sorted by
 * ID.
 */
export async function findIdsOfWholes(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with "roots" as (
      select distinct coalesce("rootPoId", "id") as "id" from "purchaseOrders"
      where "organizationId" = ${call.organizationId} and "id" = any(${[...ids]}::text[])
    )
    select "id" from "roots"
    union
    select m."id" from "purchaseOrders" as m
    where m."organizationId" = ${call.organizationId} and m."rootPoId" in (select "id" from "roots")
    order by "id"`.execute(call.db)
  return rows.map(({ id }) => id)
}

/** Locks orders in the order of their IDs. */
export async function lockByIds(call: WriteCall, ids: readonly string[]): Promise<void> {
  await sql`
    select "id" from "purchaseOrders" where "organizationId" = ${call.organizationId} and "id" = any(${[...ids]}::text[])
    order by "id" for no key update`.execute(call.db)
}

/** Returns the amounts that were paid outside Plumbline, for orders that were closed manually. */
export async function findExternallyPaidAmounts(
  { db, organizationId }: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; amount: number }>`
    select "id", "paidElsewhere" as "amount" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[]) and "paidElsewhere" is not null`.execute(
    db,
  )
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}

/** Stores the amount that was paid outside Plumbline when a locked order is closed manually. */
export async function storeExternallyPaidAmount(call: WriteCall, id: string, amount: number): Promise<void> {
  await sql`
    update "purchaseOrders" set "paidElsewhere" = ${amount}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
}

/** Stores the retainage that the terms of a locked order require, without changing other fields. */
export async function writeRequiredRetainage(call: WriteCall, id: string, amount: number): Promise<void> {
  await sql`
    update "purchaseOrders" set "requiredRetainage" = ${amount}
    where "organizationId" = ${call.organizationId} and "id" = ${id} and "requiredRetainage" <> ${amount}`.execute(
    call.db,
  )
}
