import { sql } from 'kysely'
import type { Tenant } from '../../platform/calls/call.ts'

/**
 * SQL expression for whether payments of an order require a lien waiver. The setting of the order `o` takes precedence
 * over that of its vendor `v`, which takes precedence over that of the organization `g`.
 */
export const ORDER_REQUIRES_WAIVER_SQL = `coalesce(o."lienWaiverRequired", v."lienWaiverRequired", g."lienWaiverRequired")`

/**
 * Returns SQL for whether the payment in the row `payment` requires a lien waiver, which is the case if at least one of
 * its orders does.
 */
export function toWaiverRequiredSql(payment: string): string {
  return `exists (
    select from "paymentAllocations" as a
    join "purchaseOrders" as o on o."organizationId" = a."organizationId" and o."id" = a."poId"
    join "vendors" as v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
    join "organizations" as g on g."id" = a."organizationId"
    where a."organizationId" = ${payment}."organizationId" and a."paymentId" = ${payment}."id" and ${ORDER_REQUIRES_WAIVER_SQL})`
}

export async function isWaiverRequired({ db, organizationId }: Tenant, paymentId: string): Promise<boolean> {
  const { rows } = await sql`
    select from "payments" as p
    where p."organizationId" = ${organizationId} and p."id" = ${paymentId} and ${sql.raw(toWaiverRequiredSql('p'))}`.execute(
    db,
  )
  return rows.length > 0
}
