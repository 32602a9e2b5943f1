import { sql } from 'kysely'
import type { Tenant } from '../../../platform/calls/call.ts'

/** Returns, for each trade in lowercase, the vendor of the home's newest issued order for that trade. */
export async function mapTradesToOrderedVendors(
  { db, organizationId }: Tenant,
  homeId: string,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ scope: string; vendorId: string }>`
    select distinct on (lower(o."scope")) lower(o."scope") as "scope", o."vendorId"
    from "purchaseOrders" as o
    join "vendors" as v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
    where o."organizationId" = ${organizationId} and o."homeId" = ${homeId} and o."poType" <> 'backcharge'
      and o."status" in ('issued', 'accepted', 'partially_completed', 'completed', 'closed') and v."archivedAt" is null
    order by lower(o."scope"), o."id" desc`.execute(db)
  return new Map(rows.map(({ scope, vendorId }) => [scope, vendorId]))
}
