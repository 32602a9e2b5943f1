import { sql } from 'kysely'
import type { ComplianceDocument, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { afterPosition, type DueItem, type DuePage, lockAvailable } from '../../../platform/due/settle-due.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import type { ComplianceResult } from './compliance-document.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'ComplianceDocument',
  filters: {
    expiresBefore: (date) => `t."expirationDate" < ${date}`,
    limitBelow: (amount) => `t."limitAmount" < ${amount}`,
  },
})

/** Returns the documents that the vendor's status depends on: all except removed ones. A vendor has a handful. */
export async function listCountedDocuments(call: WriteCall, vendorId: string): Promise<ComplianceDocument[]> {
  const rows = await call.db
    .selectFrom('complianceDocuments')
    .select('id')
    .where('organizationId', '=', call.organizationId)
    .where('vendorId', '=', vendorId)
    .where('archivedAt', 'is', null)
    .execute()
  return findAll(
    call,
    rows.map((row) => row.id),
  )
}

/** Stores the compliance status of a locked vendor, as a visible change. */
export async function storeCompliance(call: WriteCall, vendor: Vendor, judgement: ComplianceResult): Promise<Vendor> {
  const now = call.now.toISOString()
  await sql`
    update "vendors" set "complianceStatus" = ${judgement.status}, "version" = "version" + 1, "updatedAt" = ${now}
    where "organizationId" = ${call.organizationId} and "id" = ${vendor.id}`.execute(call.db)
  return { ...vendor, complianceStatus: judgement.status, version: vendor.version + 1, updatedAt: now }
}

/** Stores when the calendar next affects the status: at the start of that day in the organization's time zone. */
export async function storeDueDate(call: WriteCall, vendor: Vendor, { changesOn }: ComplianceResult): Promise<void> {
  await sql`
    update "vendors" set "complianceDueAt" = (${changesOn}::date)::timestamp at time zone ${call.timeZone}
    where "organizationId" = ${call.organizationId} and "id" = ${vendor.id}`.execute(call.db)
}

/** Returns vendors of any organization whose status is due to be updated, longest due first. */
export async function findVendorsToReview(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "complianceDueAt"::text as "at" from "vendors"
    where "complianceDueAt" <= ${page.now}
      and ${afterPosition(page, 'complianceDueAt', 'id')}
    order by "complianceDueAt", "id" limit ${page.most}`.execute(db)
  return rows
}

/** Locks the vendors that are still due and that no other transaction has locked. Returns their IDs. */
export function lockVendorsToReview(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailable(call, 'vendors', ids, sql`"complianceDueAt" <= ${call.now}`)
}
