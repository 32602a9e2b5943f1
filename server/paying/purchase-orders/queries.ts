import { sql } from 'kysely'
import type { PurchaseOrder, PurchaseOrderLine } from '../../../client/contract.gen.ts'
import type { Db } from '../../database/database.ts'
import type { Call } from '../../http/call.ts'
import { resource, type Values } from '../../resources/resource.ts'
import { OPEN } from '../order-statuses.ts'

export type NewOrder = Values<PurchaseOrder, 'lines'>

const LINES = `
  select coalesce(json_agg(json_build_object(
    'lineId', l."lineId", 'budgetLineId', l."budgetLineId", 'description', l."description", 'quantity', l."quantity", 'unit', l."unit",
    'unitPrice', l."unitPrice", 'taxPercent', l."taxPercent", 'taxAmount', l."taxAmount", 'total', l."total") order by l."position"), '[]')
  from "purchaseOrderLines" as l where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id"`

const DESCRIPTIONS = `(
  select string_agg(l."description", ' ') from "purchaseOrderLines" as l
  where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id")`

export const { list, find, findAll, findOptional, lock, insert, update } = resource<PurchaseOrder, 'lines'>({
  table: 'purchaseOrders',
  prefix: 'po',
  columns: {
    id: 'id',
    number: 'text',
    homeId: 'id',
    vendorId: 'id',
    scope: 'text',
    poType: 'enum',
    parentPoId: 'id?',
    bidId: 'id?',
    accountingId: 'text?',
    externalId: 'text?',
    status: 'enum',
    lines: { sql: LINES },
    subtotal: 'decimal',
    taxTotal: 'decimal',
    total: 'decimal',
    currency: 'text',
    retainagePercent: 'decimal',
    retainedAmount: 'decimal',
    varianceReasonCode: 'enum?',
    varianceResponsible: 'enum?',
    notes: 'text?',
    approval: 'json',
    issuedAt: 'instant?',
    acceptedAt: 'instant?',
    completedAt: 'instant?',
    closedAt: 'instant?',
    version: 'integer',
    createdBy: 'json',
    createdAt: 'instant',
    updatedAt: 'instant',
  },
  filters: {
    budgetLineId: (budgetLine) =>
      `t."id" in (select l."purchaseOrderId" from "purchaseOrderLines" as l where l."organizationId" = $1 and l."budgetLineId" = ${budgetLine})`,
  },
  search: ['number', 'notes', { sql: DESCRIPTIONS }],
})

export async function insertLines(
  trx: Db,
  organizationId: string,
  purchaseOrderId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  await trx
    .insertInto('purchaseOrderLines')
    .values(lines.map((line, position) => ({ organizationId, purchaseOrderId, position, ...line })))
    .execute()
}

export async function replaceLines(
  trx: Db,
  organizationId: string,
  purchaseOrderId: string,
  lines: readonly PurchaseOrderLine[],
): Promise<void> {
  await trx
    .deleteFrom('purchaseOrderLines')
    .where('organizationId', '=', organizationId)
    .where('purchaseOrderId', '=', purchaseOrderId)
    .execute()
  await insertLines(trx, organizationId, purchaseOrderId, lines)
}

/** Raises the version of a locked order whose lines have changed while its sums have not. */
export async function touch(trx: Db, call: Call, id: string): Promise<PurchaseOrder> {
  await sql`
    update "purchaseOrders" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(trx)
  return find(trx, call.organizationId, id)
}

/** The last number of the home, in its two parts; exact while the home's row is locked, as every new order locks it. */
export async function lastNumberOf(
  trx: Db,
  organizationId: string,
  homeId: string,
): Promise<{ prefix: string; sequence: number } | undefined> {
  const { rows } = await sql<{ prefix: string; sequence: number }>`
    select substring("number" from '^(.*)-') as "prefix", substring("number" from '[0-9]+$')::int as "sequence"
    from "purchaseOrders" where "organizationId" = ${organizationId} and "homeId" = ${homeId}
    order by "sequence" desc limit 1`.execute(trx)
  return rows[0]
}

/** The place of a home among all homes of the organization, the first being 1. */
export async function placeOfHome(trx: Db, organizationId: string, homeId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('homes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('id', '<=', homeId)
    .executeTakeFirstOrThrow()
  return count
}

/** All orders made from the bid, each held until the transaction ends. */
export async function lockOfBid(trx: Db, organizationId: string, bidId: string): Promise<PurchaseOrder[]> {
  const rows = await trx
    .selectFrom('purchaseOrders')
    .select('id')
    .where('organizationId', '=', organizationId)
    .where('bidId', '=', bidId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return findAll(
    trx,
    organizationId,
    rows.map((row) => row.id),
  )
}

/** An order of the bid on the home that is not void. */
export async function standingOrder(
  trx: Db,
  organizationId: string,
  bidId: string,
  homeId: string,
): Promise<{ number: string } | undefined> {
  return trx
    .selectFrom('purchaseOrders')
    .select('number')
    .where('organizationId', '=', organizationId)
    .where('bidId', '=', bidId)
    .where('homeId', '=', homeId)
    .where('status', '<>', 'void')
    .limit(1)
    .executeTakeFirst()
}

/** What is open with the vendor; exact while the vendor's row is locked, as every issue locks it. */
export async function openWith(trx: Db, organizationId: string, vendorId: string): Promise<number> {
  const { total } = await trx
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('total'), eb.lit(0)).as('total'))
    .where('organizationId', '=', organizationId)
    .where('vendorId', '=', vendorId)
    .where('status', 'in', [...OPEN])
    .executeTakeFirstOrThrow()
  return total
}
