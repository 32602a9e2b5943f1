import { sql } from 'kysely'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'

export const toHomesToRescheduleSql: DueSql = (now) => sql`
  select "organizationId" from "homes" where "rescheduleDueAt" <= ${now}`

/** Returns homes of any organization that wait for a new schedule. */
export async function findHomesToReschedule(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "rescheduleDueAt"::text as "at" from "homes"
    where "rescheduleDueAt" <= ${page.now} and ${toAfterPositionSql(page, 'rescheduleDueAt', 'id')}
    order by "rescheduleDueAt", "id" limit ${page.most}`.execute(db)
  return rows
}

export function lockHomesToReschedule(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'homes', ids, sql`"rescheduleDueAt" is not null`)
}

/** Lets the job reschedule the homes. No response of a home contains this, so no version changes. */
export async function markForReschedule(
  { db, organizationId, now }: WriteCall,
  homeIds: readonly string[],
): Promise<void> {
  if (homeIds.length === 0) return
  await sql`
    update "homes" set "rescheduleDueAt" = ${now.toISOString()}
    where "organizationId" = ${organizationId} and "id" = any(${[...homeIds]}::text[])`.execute(db)
}

export async function clearReschedule({ db, organizationId }: WriteCall, homeId: string): Promise<void> {
  await sql`
    update "homes" set "rescheduleDueAt" = null
    where "organizationId" = ${organizationId} and "id" = ${homeId}`.execute(db)
}
