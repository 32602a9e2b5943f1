import { sql } from 'kysely'
import type { Vendor } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { OPEN_STATUSES } from '../../statuses/order-statuses.ts'
import type { PayableOrder } from '../payments/payment.ts'

export const { list, find, findAll, insert } = defineResource({
  schema: 'PaymentRun',
  long: ['skipped', 'vendorIds', 'paymentIds'],
})

/**
 * Returns the organization's next number. The counter row stays locked until the transaction ends, so other creators
 * wait.
 */
export async function takeNextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "paymentRunNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `PR-${String(rows[0]?.last).padStart(4, '0')}`
}

/** The vendors and community of a run; all if empty. */
export interface RunFilter {
  communityId: string | null
  vendorIds: readonly string[]
}

/**
 * Returns up to `most` open orders that may have payable amounts. They are not locked, so the result is an estimate.
 */
export async function listOpenOrderIds(
  { db, organizationId }: Tenant,
  { communityId, vendorIds }: RunFilter,
  max: number,
): Promise<string[]> {
  // The statuses are written out to match those of the index purchaseOrders_open.
  const { rows } = await sql<{ id: string }>`
    select o."id" from "purchaseOrders" as o
    where o."organizationId" = ${organizationId} and o."status" in (${sql.join(OPEN_STATUSES.map((status) => sql.lit(status)))})
      and o."payableAmount" <> 0
      ${vendorIds.length === 0 ? sql`` : sql`and o."vendorId" = any(${[...vendorIds]}::text[])`}
      ${
        communityId === null
          ? sql``
          : sql`and exists (
        select 1 from "homes" as h
        where h."organizationId" = o."organizationId" and h."id" = o."homeId" and h."communityId" = ${communityId})`
      }
    order by o."id" limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The fields of an order that a run needs. */
export interface OpenOrder extends PayableOrder {
  id: string
  homeId: string
  vendorId: string
  /** When progress was last recorded; null for an order without progress. */
  progressedAt: string | null
}

/** Locks orders in the order of their IDs, as every payment does, and returns their current state. */
export async function lockOrders({ db, organizationId }: WriteCall, ids: readonly string[]): Promise<OpenOrder[]> {
  const { rows } = await sql<OpenOrder>`
    select "id", "number", "homeId", "vendorId", "status", "total", "retainagePercent", "completedAmount", "paidAmount",
      "retainedAmount", "payableAmount", "progressedAt"
    from "purchaseOrders" where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[])
    order by "id" for no key update`.execute(db)
  return rows
}

export type Payee = Pick<Vendor, 'id' | 'companyName' | 'status' | 'complianceStatus' | 'paymentTerms'>

export async function findPayees({ db, organizationId }: Tenant, ids: readonly string[]): Promise<Payee[]> {
  const { rows } = await sql<Payee>`
    select "id", "companyName", "status", "complianceStatus", "paymentTerms" from "vendors"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[]) order by "companyName", "id"`.execute(
    db,
  )
  return rows
}
