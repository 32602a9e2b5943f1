import { sql } from 'kysely'
import type { WalkthroughStatus } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, findOptional, findAllWith, lock, insert, update } = defineResource({
  schema: 'PunchItem',
})

/** Returns the number of the home's next item. The caller must have locked the home. */
export async function findNextItemNumber({ db, organizationId }: WriteCall, homeId: string): Promise<string> {
  const { rows } = await sql<{ last: number | null }>`
    select max(substring("number" from 3)::integer) as "last" from "punchItems"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId}`.execute(db)
  return `P-${(rows[0]?.last ?? 0) + 1}`
}

/** Returns the number of items that were found during a walkthrough. */
export async function countItemsOfWalkthrough({ db, organizationId }: Tenant, walkthroughId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "punchItems"
    where "organizationId" = ${organizationId} and "walkthroughId" = ${walkthroughId}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Increases the version of an open walkthrough, because a buyer may sign only the list that the buyer read. */
export async function bumpWalkthroughVersion({ db, organizationId, now }: WriteCall, id: string): Promise<void> {
  await sql`
    update "walkthroughs" set "version" = "version" + 1, "updatedAt" = ${now}
    where "organizationId" = ${organizationId} and "id" = ${id} and "status" = 'open'`.execute(db)
}

/** Sets the time at which the vendor is notified that an item is assigned to it; null for no notification. */
export async function storeNoticeTime(
  { db, organizationId }: WriteCall,
  id: string,
  noticeDueAt: Date | null,
): Promise<void> {
  await db
    .updateTable('punchItems')
    .set({ noticeDueAt })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

export const toDueNoticesSql: DueSql = (now) => sql`
  select "organizationId" from "punchItems" where "noticeDueAt" <= ${now}`

/** Returns items of any organization whose vendors must now be notified. */
export async function findDueNotices(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "homeId" as "claimedId", "id", "noticeDueAt"::text as "at" from "punchItems"
    where "noticeDueAt" <= ${page.now} and ${toAfterPositionSql(page, 'noticeDueAt', 'id')}
    order by "noticeDueAt", "id" limit ${page.most}`.execute(db)
  return rows
}

export function lockAvailableHomes(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'homes', ids)
}

/** An item about which its vendor has not been notified yet. */
export interface UnnoticedItem {
  id: string
  vendorId: string
  number: string
  location: string | null
  description: string
  dueDate: string
}

/**
 * Returns the items of a locked home about which their vendors have not been notified yet, so that one message can
 * contain all of them. Marks the items as notified.
 */
export async function claimNotices({ db, organizationId }: WriteCall, homeId: string): Promise<UnnoticedItem[]> {
  const { rows } = await sql<UnnoticedItem & { isAssigned: boolean }>`
    update "punchItems" set "noticeDueAt" = null
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "noticeDueAt" is not null
    returning "id", "vendorId", "number", "location", "description", "dueDate",
      "status" = 'assigned' and "vendorId" is not null as "isAssigned"`.execute(db)
  return rows.filter(({ isAssigned }) => isAssigned)
}

/** Returns the number of photos that show the fix of an item. */
export async function countFixPhotos({ db, organizationId }: Tenant, recordId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "attachments"
    where "organizationId" = ${organizationId} and "recordId" = ${recordId} and "archivedAt" is null
      and "stage" = 'after' and "kind" = 'photo'`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the reason why a fixed item was last assigned again; null if none is recorded. */
export async function findReopenReason({ db, organizationId }: Tenant, id: string): Promise<string | null> {
  const { rows } = await sql<{ reason: string | null }>`
    select "reason" from "statusChanges"
    where "organizationId" = ${organizationId} and "resourceId" = ${id} and "from" = 'fixed' and "to" = 'assigned'
    order by "at" desc limit 1`.execute(db)
  return rows[0]?.reason ?? null
}

/** Returns the data of a walkthrough that determines whether items can be added. */
export async function findWalkthrough(
  { db, organizationId }: Tenant,
  id: string,
): Promise<{ homeId: string; status: WalkthroughStatus; itemCount: number } | undefined> {
  const { rows } = await sql<{ homeId: string; status: WalkthroughStatus; itemCount: number }>`
    select w."homeId", w."status", (select count(*)::integer from "punchItems" as i
      where i."organizationId" = w."organizationId" and i."walkthroughId" = w."id") as "itemCount"
    from "walkthroughs" as w where w."organizationId" = ${organizationId} and w."id" = ${id}`.execute(db)
  return rows[0]
}
