import { sql } from 'kysely'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'
import { toLinkedIdFilterSql } from '../../../platform/resources/listing.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'Contract',
  long: ['lines', 'lumpSums', 'notes', 'communityIds', 'planIds'],
  filters: {
    // A contract for all communities or all plans stores these words in its links instead of IDs.
    communityId: (community) => toLinkedIdFilterSql(community, `'all communities'`),
    planId: (plan) => toLinkedIdFilterSql(plan, `'all plans'`),
    expiringBy: (date) => `t."expirationDate" <= ${date}`,
  },
})

/**
 * Returns the next contract number of the organization. The counter row stays locked until the transaction ends, so
 * concurrent calls that create contracts wait.
 */
export async function takeNextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "contractNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `CT-${String(rows[0]?.last).padStart(4, '0')}`
}

export interface ContractRevision {
  id: string
  revision: number
  status: string
  isArchived: boolean
}

/**
 * Returns all revisions of the contract with this number, oldest first. The result is exact while the newest revision
 * that is not archived is locked.
 */
export async function listRevisions({ db, organizationId }: Tenant, number: string): Promise<ContractRevision[]> {
  const { rows } = await sql<ContractRevision>`
    select "id", "revision", "status", "archivedAt" is not null as "isArchived" from "contracts"
    where "organizationId" = ${organizationId} and "number" = ${number} order by "revision"`.execute(db)
  return rows
}

export const toExpiredContractsSql: DueSql = (now) => sql`
  select c."organizationId" from "contracts" as c join "organizations" as o on o."id" = c."organizationId"
  where c."status" = 'active' and c."expirationDate" is not null
    and c."expirationDate" <= (${now}::timestamptz at time zone 'UTC')::date
    and c."expirationDate" < (${now}::timestamptz at time zone o."timeZone")::date`

/**
 * Returns active contracts of any organization whose last day has passed in the time zone of the organization, longest
 * overdue first.
 */
export async function findExpiredContracts(db: Db, page: DuePage): Promise<DueItem[]> {
  // No time zone is more than a day ahead of UTC, so the query reads the small index only through tomorrow's date in
  // UTC.
  const { rows } = await sql<DueItem>`
    select c."organizationId", c."id" as "claimedId", c."id", c."expirationDate"::text as "at" from "contracts" as c
    join "organizations" as o on o."id" = c."organizationId"
    where c."status" = 'active' and c."expirationDate" is not null
      and c."expirationDate" <= (${page.now}::timestamptz at time zone 'UTC')::date
      and c."expirationDate" < (${page.now}::timestamptz at time zone o."timeZone")::date
      and ${toAfterPositionSql(page, 'c.expirationDate', 'c.id')}
    order by c."expirationDate", c."id" limit ${page.most}`.execute(db)
  return rows
}

/** Locks those contracts that are still active and not locked by another transaction. Returns their IDs. */
export function lockActiveContracts(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'contracts', ids, sql`"status" = 'active'`)
}
