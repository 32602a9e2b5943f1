import { sql } from 'kysely'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'

export const toDueTasksSql: DueSql = (now) => sql`select "organizationId" from "tasks" where "tellAt" <= ${now}`

/**
 * Returns tasks of any organization whose vendors are due to be notified. If there is none, the query performs a single
 * index lookup.
 */
export async function findDueTasks(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "homeId" as "claimedId", "id", "tellAt"::text as "at" from "tasks"
    where "tellAt" <= ${page.now}
      and ${toAfterPositionSql(page, 'tellAt', 'id')}
    order by "tellAt", "id" limit ${page.most}`.execute(db)
  return rows
}

/**
 * Locks those of the homes that are not locked by another transaction, and returns their IDs. Every change of a
 * schedule locks its home in this way.
 */
export function lockAvailableHomes(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'homes', ids)
}

export interface DueTask {
  id: string
  homeId: string
  vendorId: string
  plannedStart: string
  /** Whether the vendor has been notified before. */
  isTold: boolean
  /** Whether the vendor was asked to confirm the date and has not responded. */
  isAsked: boolean
  /** The later time at which the vendor must be notified; null means now. */
  laterAt: string | null
  /** Whether the planned start has passed. If so, the vendor is not notified. */
  isOver: boolean
}

/**
 * Returns the tasks that are still due after their homes were locked. The due time of a notice may have changed, for
 * example because of new preferences of the vendor. Therefore, the function first updates the rows without changes, so
 * that the trigger of the table computes the due times again.
 */
export async function readDueTasks({ db, organizationId, now }: WriteCall, ids: readonly string[]): Promise<DueTask[]> {
  await sql`
    update "tasks" set "status" = "status"
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[]) and "tellAt" <= ${now}`.execute(db)
  const { rows } = await sql<DueTask>`
    select t."id", t."homeId", t."vendorId", t."plannedStart", t."notifiedAt" is not null as "isTold",
      t."confirmationStatus" = 'requested' as "isAsked",
      nullif(at."morning", ${now}) as "laterAt",
      t."plannedStart" < at."today" as "isOver"
    from "tasks" as t
    join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId",
    lateral (select
      greatest(((${now}::timestamptz at time zone c."timeZone")::date + time '07:00') at time zone c."timeZone", ${now}) as "morning",
      (${now}::timestamptz at time zone c."timeZone")::date as "today"
    ) as at
    where t."organizationId" = ${organizationId} and t."id" = any(${[...ids]}::text[]) and t."tellAt" <= ${now}
    order by t."plannedStart", t."id"`.execute(db)
  return rows
}

/**
 * Postpones the notices of the tasks. If the start of a task has passed, cancels its notice instead. Changes no visible
 * field.
 */
export async function postponeNotices({ db, organizationId }: WriteCall, tasks: readonly DueTask[]): Promise<void> {
  if (tasks.length === 0) return
  const times = tasks.map(({ isOver, laterAt }) => (isOver ? null : laterAt))
  await sql`
    update "tasks" as t set "tellAt" = r."at"
    from unnest(${tasks.map(({ id }) => id)}::text[], ${times}::timestamptz[]) as r ("id", "at")
    where t."organizationId" = ${organizationId} and t."id" = r."id"`.execute(db)
}

/** Records in the tasks that their vendors have been notified of the planned starts. */
export async function markTasksNotified(call: WriteCall, ids: readonly string[]): Promise<void> {
  const now = call.now.toISOString()
  await sql`
    update "tasks" set "notifiedStart" = "plannedStart", "notifiedAt" = ${now}, "version" = "version" + 1,
      "updatedAt" = ${now}
    where "organizationId" = ${call.organizationId} and "id" = any(${[...ids]}::text[])`.execute(call.db)
  for (const id of ids) recordChange(call, id, 'updated', ['notifiedStart', 'notifiedAt'])
}
