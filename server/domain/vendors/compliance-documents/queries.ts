import { sql } from 'kysely'
import type { ComplianceDocument, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import type { ComplianceResult } from './compliance-document.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'ComplianceDocument',
  filters: {
    expiresBefore: (date) => `t."expirationDate" < ${date}`,
    limitBelow: (amount) => `t."limitAmount" < ${amount}`,
  },
})

/**
 * Returns the documents that determine the vendor's status: all documents except removed ones. A vendor has only a few
 * documents.
 */
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

/** Stores a new compliance status of a locked vendor, and increments the vendor's version. */
export async function storeCompliance(call: WriteCall, vendor: Vendor, judgement: ComplianceResult): Promise<Vendor> {
  const now = call.now.toISOString()
  await sql`
    update "vendors" set "complianceStatus" = ${judgement.status}, "version" = "version" + 1, "updatedAt" = ${now}
    where "organizationId" = ${call.organizationId} and "id" = ${vendor.id}`.execute(call.db)
  return { ...vendor, complianceStatus: judgement.status, version: vendor.version + 1, updatedAt: now }
}

/**
 * Stores the time at which the status can next change because of the date: the start of that day in the organization's
 * time zone.
 */
export async function storeDueDate(call: WriteCall, vendor: Vendor, { changesOn }: ComplianceResult): Promise<void> {
  // Compute this time in a separate query, because a distributed database cannot compute it in an update.
  const { rows } = await sql<{ at: string | null }>`
    select "dayStart"(${changesOn}::date, ${call.timeZone}) as "at"`.execute(call.db)
  await sql`
    update "vendors" set "complianceDueAt" = ${rows[0]?.at ?? null}
    where "organizationId" = ${call.organizationId} and "id" = ${vendor.id}`.execute(call.db)
}

export const toVendorsToReviewSql: DueSql = (now) => sql`
  select "organizationId" from "vendors" where "complianceDueAt" <= ${now}`

/** Returns vendors of any organization whose status must be updated, longest overdue first. */
export async function findVendorsToReview(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "complianceDueAt"::text as "at" from "vendors"
    where "complianceDueAt" <= ${page.now}
      and ${toAfterPositionSql(page, 'complianceDueAt', 'id')}
    order by "complianceDueAt", "id" limit ${page.most}`.execute(db)
  return rows
}

/** Locks those vendors that are still due and not locked by another transaction. Returns their IDs. */
export function lockVendorsToReview(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'vendors', ids, sql`"complianceDueAt" <= ${call.now}`)
}
