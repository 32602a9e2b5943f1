import { sql } from 'kysely'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import { afterPosition, type DueItem, type DuePage, lockAvailable } from '../../../platform/due/settle-due.ts'

/** Returns tasks of any organization whose vendors are due to be notified. If none is, this costs one index lookup. */
export async function findDueTasks(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "homeId" as "claimedId", "id", "tellAt"::text as "at" from "tasks"
    where "tellAt" <= ${page.now}
      and ${afterPosition(page, 'tellAt', 'id')}
    order by "tellAt", "id" limit ${page.most}`.execute(db)
  return rows
}

/** Locks the homes that no other transaction has locked, like every change of a schedule. Returns their IDs. */
export function lockAvailableHomes(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailable(call, 'homes', ids)
}

export interface DueTask {
  id: string
  homeId: string
  vendorId: string
  plannedStart: string
  /** Whether the vendor was notified before. */
  isTold: boolean
  /** Whether the vendor was asked to confirm the date, and has not answered. */
  isAsked: boolean
  /** When to notify the vendor instead; null for now. */
  laterAt: string | null
  /** Whether the planned start has passed, so that the vendor is not notified. */
  isOver: boolean
}

/** Returns the tasks that are still due, read after their homes were locked. */
export async function readDueTasks({ db, organizationId, now }: WriteCall, ids: readonly string[]): Promise<DueTask[]> {
  const { rows } = await sql<DueTask>`
    select t."id", t."homeId", t."vendorId", t."plannedStart", t."notifiedAt" is not null as "isTold",
      t."confirmationStatus" = 'requested' as "isAsked",
      nullif(greatest(at."kept", at."morning"), ${now}) as "laterAt",
      t."plannedStart" < at."today" or told."at" is null as "isOver"
    from "tasks" as t
    join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId",
    lateral "tellAtOf"(t."organizationId", t."vendorId", t."homeId", t."communityId", t."status", t."actualStart",
      t."archivedAt", t."notifiedAt", t."plannedStart", t."confirmation") as told ("at"),
    lateral (select
      greatest(told."at", ${now}::timestamptz) as "kept",
      greatest(((${now}::timestamptz at time zone c."timeZone")::date + time '07:00') at time zone c."timeZone", ${now}) as "morning",
      (${now}::timestamptz at time zone c."timeZone")::date as "today"
    ) as at
    where t."organizationId" = ${organizationId} and t."id" = any(${[...ids]}::text[]) and t."tellAt" <= ${now}
    order by t."plannedStart", t."id"`.execute(db)
  return rows
}

/** Reschedules the notices of the tasks, or cancels them for tasks whose start has passed. No visible field changes. */
export async function postpone({ db, organizationId }: WriteCall, tasks: readonly DueTask[]): Promise<void> {
  if (tasks.length === 0) return
  const times = tasks.map(({ isOver, laterAt }) => (isOver ? null : laterAt))
  await sql`
    update "tasks" as t set "tellAt" = r."at"
    from unnest(${tasks.map(({ id }) => id)}::text[], ${times}::timestamptz[]) as r ("id", "at")
    where t."organizationId" = ${organizationId} and t."id" = r."id"`.execute(db)
}

/** Records on the tasks that their vendors were notified of the planned starts now. */
export async function recordNotified(call: WriteCall, ids: readonly string[]): Promise<void> {
  const now = call.now.toISOString()
  await sql`
    update "tasks" set "notifiedStart" = "plannedStart", "notifiedAt" = ${now}, "version" = "version" + 1,
      "updatedAt" = ${now}
    where "organizationId" = ${call.organizationId} and "id" = any(${[...ids]}::text[])`.execute(call.db)
  for (const id of ids) recordChange(call, id, 'updated', ['notifiedStart', 'notifiedAt'])
}
