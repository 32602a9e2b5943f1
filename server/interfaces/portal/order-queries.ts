import { sql } from 'kysely'
import type {
  PortalBill,
  PortalComplianceDocument,
  PortalOrderSummary,
  PortalPayment,
} from '../../../client/contract.gen.ts'
import { toWaiverRequiredSql } from '../../domain/paying/waiver-rule.ts'
import { toSpanishScopeSql } from '../../domain/vendors/scopes/queries.ts'
import type { Tenant } from '../../platform/calls/call.ts'
import { createListing } from '../../platform/resources/listing.ts'

const ORDER_HOME_SQL = `
  select json_build_object('name', h."name", 'community', c."name")
  from "homes" as h join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
  where h."organizationId" = t."organizationId" and h."id" = t."homeId"`

/** Lists a vendor's orders, except those that have not been issued or are being revised. */
export const listOrders = createListing<PortalOrderSummary>({
  table: 'purchaseOrders',
  columns: {
    ...{ id: 'id', number: 'text', status: 'enum', scope: 'text' },
    spanishScope: { sql: toSpanishScopeSql('t."scope"') },
    ...{ total: 'decimal', currency: 'enum', issuedAt: 'instant?', home: { sql: ORDER_HOME_SQL } },
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

const BILL_LINES = `
  select coalesce(json_agg(json_build_object('poId', l."poId", 'description', l."description", 'amount', l."amount")
    order by l."position"), '[]')
  from "billLines" as l where l."organizationId" = t."organizationId" and l."billId" = t."id"`

/** Lists the vendor's bills that the builder has received. */
export const listBills = createListing<PortalBill>({
  table: 'bills',
  columns: {
    ...{ id: 'id', number: 'text', status: 'enum', invoiceNumber: 'text?', invoiceDate: 'date', dueDate: 'date' },
    ...{ lines: { sql: BILL_LINES }, grossAmount: 'decimal', retainageWithheld: 'decimal', amount: 'decimal' },
    ...{ paidAmount: 'decimal', openAmount: 'decimal', currency: 'enum' },
    rejectedReason: { sql: `to_json(t."approval"->>'rejectedReason')` },
    fileNames: { sql: FILE_NAMES_SQL },
    canWithdraw: { sql: `t."source" = 'portal' and t."status" = 'received'` },
    version: 'integer',
  },
  where: `t."status" <> 'draft'`,
  filters: {
    poId: (po) =>
      `t."id" in (select l."billId" from "billLines" as l where l."organizationId" = $1 and l."poId" = ${po})`,
  },
  long: ['lines'],
})

/** Returns the sum of an order's bills, except rejected and void bills. */
export async function sumBillsOfOrder({ db, organizationId }: Tenant, poId: string): Promise<number> {
  const { rows } = await sql<{ amount: number }>`
    select coalesce(sum(l."amount"), 0) as "amount" from "billLines" as l
    join "bills" as b on b."organizationId" = ${organizationId} and b."id" = l."billId"
    where l."organizationId" = ${organizationId} and l."poId" = ${poId}
      and b."status" not in ('draft', 'rejected', 'void')`.execute(db)
  return rows[0]?.amount ?? 0
}

/** Returns the names of a record's files in the order of upload. */
export async function findFileNames({ db, organizationId }: Tenant, recordId: string): Promise<string[]> {
  const { rows } = await sql<{ fileName: string }>`
    select "fileName" from "attachments"
    where "organizationId" = ${organizationId} and "recordId" = ${recordId} and "archivedAt" is null
    order by "id" limit 100`.execute(db)
  return rows.map(({ fileName }) => fileName)
}

/** Returns the number of bills from the vendor that await approval. */
export async function countUnapproved({ db, organizationId }: Tenant, vendorId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "bills"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "status" = 'received'
      and "source" = 'portal'`.execute(db)
  return rows[0]?.count ?? 0
}

const PAID_ORDERS_SQL = `
  select coalesce(json_agg(distinct o."number"), '[]')
  from "paymentAllocations" as a
  join "purchaseOrders" as o on o."organizationId" = a."organizationId" and o."id" = a."poId"
  where a."organizationId" = t."organizationId" and a."paymentId" = t."id"`

// The reasons why a payment would be rejected. They depend on the current state of the vendor, the orders, and the
// settings.
const PAYMENT_BLOCKERS_SQL = `
  select to_json(array_remove(case when t."status" = 'paid' then '{}' else array[
    case when t."status" = 'pending' then 'approval' end,
    case when t."lienWaiverId" is null and t."amount" > 0 and ${toWaiverRequiredSql('t')} then 'lien_waiver' end,
    case when v."complianceStatus" = 'expired' then 'compliance' end
  ]::text[] end, null))
  from "vendors" as v
  where v."organizationId" = t."organizationId" and v."id" = t."vendorId"`

/** Lists the payments that a vendor has received or will receive. */
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

/** Returns the number of a vendor's documents that the builder has not reviewed yet. */
export async function countUnreviewedDocuments({ db, organizationId }: Tenant, vendorId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "complianceDocuments"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "archivedAt" is null
      and "status" = 'pending_review'`.execute(db)
  return rows[0]?.count ?? 0
}
