import { sql } from 'kysely'
import type { Bill, Vendor } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, insert } = defineResource({
  schema: 'PaymentRun',
  long: ['skipped', 'vendorIds', 'billIds', 'paymentIds'],
})

/**
 * Returns the organization's next payment run number. The counter row stays locked until the transaction ends, so other
 * calls that create payment runs wait.
 */
export async function takeNextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "paymentRunNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `PR-${String(rows[0]?.last).padStart(4, '0')}`
}

/** The vendors, the bills, and the community to which a run is limited. An empty list or null includes all. */
export interface RunFilter {
  communityId: string | null
  vendorIds: readonly string[]
  /** Only these bills of `vendorIds`, plus the bills with which these vendors owe the builder an amount. */
  billIds: readonly string[]
}

/** An unpaid part of an approved bill, with its order if there is one. */
export interface OpenPart {
  billId: string
  poId: string | null
}

/**
 * Returns up to `max` parts of approved bills that may have payable amounts. The bills are not locked, so their amounts
 * can still change.
 */
export async function findOpenParts(
  { db, organizationId }: Tenant,
  { communityId, vendorIds, billIds }: RunFilter,
  max: number,
): Promise<OpenPart[]> {
  // The statuses are literals, so that the condition matches that of the index bills_open.
  const { rows } = await sql<OpenPart>`
    select distinct b."id" as "billId", l."poId" from "bills" as b
    join "billLines" as l on l."organizationId" = b."organizationId" and l."billId" = b."id"
    where b."organizationId" = ${organizationId} and b."status" in ('approved', 'partially_paid')
      ${vendorIds.length === 0 ? sql`` : sql`and b."vendorId" = any(${[...vendorIds]}::text[])`}
      ${billIds.length === 0 ? sql`` : sql`and (b."id" = any(${[...billIds]}::text[]) or b."openAmount" < 0)`}
      ${
        communityId === null
          ? sql``
          : sql`and exists (
        select 1 from "homes" as h
        where h."organizationId" = b."organizationId" and h."id" = l."homeId" and h."communityId" = ${communityId})`
      }
    order by b."id", l."poId" limit ${max}`.execute(db)
  return rows
}

export type ChosenBill = Pick<Bill, 'id' | 'number' | 'vendorId' | 'status' | 'openAmount'>

/** Returns the bills with these IDs, ordered by bill number. */
export async function findChosenBills({ db, organizationId }: Tenant, ids: readonly string[]): Promise<ChosenBill[]> {
  const { rows } = await sql<ChosenBill>`
    select "id", "number", "vendorId", "status", "openAmount" from "bills"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[]) order by "number"`.execute(db)
  return rows
}

/** Adds the amounts of new payments to the reserved amounts of the locked orders and bills, in two statements. */
export async function addReservedAmounts(
  call: WriteCall,
  added: { orders: ReadonlyMap<string, number>; bills: ReadonlyMap<string, number> },
): Promise<void> {
  for (const [table, of] of [
    ['purchaseOrders', added.orders],
    ['bills', added.bills],
  ] as const) {
    await sql`
      update ${sql.table(table)} as t set "reservedAmount" = t."reservedAmount" + r."amount",
        "version" = t."version" + 1, "updatedAt" = ${call.now}
      from unnest(${[...of.keys()]}::text[], ${[...of.values()]}::numeric[]) as r ("id", "amount")
      where t."organizationId" = ${call.organizationId} and t."id" = r."id"`.execute(call.db)
    for (const id of of.keys()) recordChange(call, id, 'updated', ['reservedAmount'])
  }
}

/** Locks vendors in the order of their IDs, so that only one of two concurrent runs deducts a vendor's credit. */
export async function lockVendors({ db, organizationId }: WriteCall, ids: readonly string[]): Promise<void> {
  await sql`
    select "id" from "vendors" where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[])
    order by "id" for no key update`.execute(db)
}

export interface Payee extends Pick<Vendor, 'id' | 'companyName' | 'status' | 'complianceStatus'> {
  currency: string
}

export async function findPayees(
  { db, organizationId, currency }: Tenant & { currency: string },
  ids: readonly string[],
): Promise<Payee[]> {
  const { rows } = await sql<Payee>`
    select "id", "companyName", "status", "complianceStatus", ${currency}::text as "currency" from "vendors"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[]) order by "companyName", "id"`.execute(
    db,
  )
  return rows
}
