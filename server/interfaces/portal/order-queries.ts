import { sql } from 'kysely'
import type { PortalComplianceDocument, PortalOrderSummary, PortalPayment } from '../../../client/contract.gen.ts'
import { requiresWaiverSql } from '../../domain/paying/waiver-rule.ts'
import type { Tenant } from '../../platform/calls/call.ts'
import { createListing } from '../../platform/resources/listing.ts'

const ORDER_HOME_SQL = `
  select json_build_object('name', h."name", 'community', c."name")
  from "homes" as h join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
  where h."organizationId" = t."organizationId" and h."id" = t."homeId"`

/** Lists a vendor's orders, without orders that were not issued or are being revised. */
export const listOrders = createListing<PortalOrderSummary>({
  table: 'purchaseOrders',
  columns: {
    ...{ id: 'id', number: 'text', status: 'enum', scope: 'text', total: 'decimal', currency: 'enum' },
    ...{ issuedAt: 'instant?', home: { sql: ORDER_HOME_SQL } },
  },
  where: `t."issuedAt" is not null`,
})

const FILE_NAMES_SQL = `
  select coalesce(json_agg(a."fileName" order by a."id"), '[]')
  from "attachments" as a
  where a."organizationId" = t."organizationId" and a."recordId" = t."id" and a."archivedAt" is null`

export const listDocuments = createListing<PortalComplianceDocument>({
  table: 'complianceDocuments',
  columns: {
    ...{ id: 'id', type: 'enum', status: 'enum', carrier: 'text?', policyNumber: 'text?' },
    ...{ effectiveDate: 'date?', expirationDate: 'date?', limitAmount: 'decimal?', fileNames: { sql: FILE_NAMES_SQL } },
  },
  where: `t."archivedAt" is null`,
})

const PAID_ORDERS_SQL = `
  select coalesce(json_agg(distinct o."number"), '[]')
  from "paymentAllocations" as a
  join "purchaseOrders" as o on o."organizationId" = a."organizationId" and o."id" = a."poId"
  where a."organizationId" = t."organizationId" and a."paymentId" = t."id"`

// The same reasons for which a payment is rejected. They depend on the current state of vendor, orders and settings.
const PAYMENT_BLOCKERS_SQL = `
  select to_json(array_remove(array[
    case when t."status" = 'pending' then 'approval' end,
    case when t."lienWaiverId" is null and t."amount" > 0 and ${requiresWaiverSql('t')} then 'lien_waiver' end,
    case when v."complianceStatus" = 'expired' then 'compliance' end
  ]::text[], null))
  from "vendors" as v
  where v."organizationId" = t."organizationId" and v."id" = t."vendorId" and t."status" <> 'paid'
  union all select '[]'::json where t."status" = 'paid'`

/** Lists the payments that a vendor received or will receive. */
export const listPayments = createListing<PortalPayment>({
  table: 'payments',
  columns: {
    ...{ id: 'id', number: 'text', status: 'enum', amount: 'decimal', retainageWithheld: 'decimal', currency: 'enum' },
    ...{ invoiceNumber: 'text?', dueDate: 'date', paidDate: 'date?', method: 'enum', checkNumber: 'text?' },
    ...{ orders: { sql: PAID_ORDERS_SQL }, waitsFor: { sql: PAYMENT_BLOCKERS_SQL } },
  },
  where: `t."status" in ('pending', 'approved', 'paid')`,
  long: ['orders'],
})

/** Returns how many of a vendor's documents await review. */
export async function countUnreviewedDocuments({ db, organizationId }: Tenant, vendorId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "complianceDocuments"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "archivedAt" is null
      and "status" = 'pending_review'`.execute(db)
  return rows[0]?.count ?? 0
}
