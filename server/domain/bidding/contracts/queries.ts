import { sql } from 'kysely'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { afterPosition, type DueItem, type DuePage, lockAvailable } from '../../../platform/due/settle-due.ts'
import { filterByLinkedId } from '../../../platform/resources/listing.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'Contract',
  long: ['lines', 'lumpSums', 'notes', 'communityIds', 'planIds'],
  filters: {
    // Contracts for all communities or plans expand to that description.
    communityId: (community) => filterByLinkedId(community, `'all communities'`),
    planId: (plan) => filterByLinkedId(plan, `'all plans'`),
    expiringBy: (date) => `t."expirationDate" <= ${date}`,
  },
})

/**
 * Returns the organization's next number. The counter row stays locked until the transaction ends, so other creators
 * wait.
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
 * Returns all revisions of a number, oldest first. The result is exact while the newest revision that is not archived
 * is locked.
 */
export async function listRevisions({ db, organizationId }: Tenant, number: string): Promise<ContractRevision[]> {
  const { rows } = await sql<ContractRevision>`
    select "id", "revision", "status", "archivedAt" is not null as "isArchived" from "contracts"
    where "organizationId" = ${organizationId} and "number" = ${number} order by "revision"`.execute(db)
  return rows
}

/** Returns active contracts of any organization whose last day has passed in its time zone, longest overdue first. */
export async function findExpiredContracts(db: Db, page: DuePage): Promise<DueItem[]> {
  // No time zone is more than a day ahead of UTC, so the small index is read up to tomorrow.
  const { rows } = await sql<DueItem>`
    select c."organizationId", c."id" as "claimedId", c."id", c."expirationDate"::text as "at" from "contracts" as c
    join "organizations" as o on o."id" = c."organizationId"
    where c."status" = 'active' and c."expirationDate" is not null
      and c."expirationDate" <= (${page.now}::timestamptz at time zone 'UTC')::date
      and c."expirationDate" < (${page.now}::timestamptz at time zone o."timeZone")::date
      and ${afterPosition(page, 'c.expirationDate', 'c.id')}
    order by c."expirationDate", c."id" limit ${page.most}`.execute(db)
  return rows
}

/** Locks the contracts that are still active and that no other transaction has locked. Returns their IDs. */
export function lockActiveContracts(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailable(call, 'contracts', ids, sql`"status" = 'active'`)
}
