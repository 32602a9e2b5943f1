import { sql } from 'kysely'
import type { Tenant } from '../../platform/calls/call.ts'

/**
 * SQL of whether the payments of an order take a lien waiver before they are paid, over the order as `o`, its vendor as
 * `v` and the organization as `g`: the closest that says so decides.
 */
export const ORDER_TAKES_WAIVER = `coalesce(o."lienWaiverRequired", v."lienWaiverRequired", g."lienWaiverRequired")`

/** SQL of whether a payment takes one, over its row as `payment`: one order that asks for it is enough. */
export function takesWaiver(payment: string): string {
  return `exists (
    select from "paymentAllocations" as a
    join "purchaseOrders" as o on o."organizationId" = a."organizationId" and o."id" = a."poId"
    join "vendors" as v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
    join "organizations" as g on g."id" = a."organizationId"
    where a."organizationId" = ${payment}."organizationId" and a."paymentId" = ${payment}."id" and ${ORDER_TAKES_WAIVER})`
}

export async function isRequired({ db, organizationId }: Tenant, paymentId: string): Promise<boolean> {
  const { rows } = await sql`
    select from "payments" as p
    where p."organizationId" = ${organizationId} and p."id" = ${paymentId} and ${sql.raw(takesWaiver('p'))}`.execute(db)
  return rows.length > 0
}
