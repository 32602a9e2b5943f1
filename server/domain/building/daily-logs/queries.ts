import { sql } from 'kysely'
import type { DailyLogActivity } from '../../../../client/contract.gen.ts'
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
import { ACTIVITY_SQL, CURRENT_ACTIVITY_SQL } from './activity.ts'

export const { list, find, lock, insert, update } = defineResource({
  schema: 'DailyLog',
  computed: { activity: ACTIVITY_SQL },
  long: ['crews', 'deliveries', 'visitors', 'safety', 'addenda', 'workDone'],
  filters: {
    logFrom: (date) => `t."logDate" >= ${date}`,
    logTo: (date) => `t."logDate" <= ${date}`,
  },
})

/** Returns the ID of the home's log for a day. */
export async function findLogIdByDay(
  { db, organizationId }: Tenant,
  homeId: string,
  logDate: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "dailyLogs"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "logDate" = ${logDate}`.execute(db)
  return rows[0]?.id
}

/** The bounds of a day in a community: its start, and the start of the next day. The day can have 23 or 25 hours. */
export interface DayBounds {
  dayStart: string
  dayEnd: string
  /** The log can be edited until 48 hours after the end of the day. */
  editableUntil: string
}

export async function findDayBounds({ db }: Tenant, timeZone: string, logDate: string): Promise<DayBounds> {
  const { rows } = await sql<DayBounds>`
    select d."dayStart", d."dayEnd", d."dayEnd" + interval '48 hours' as "editableUntil"
    from (select ${logDate}::date::timestamp at time zone ${timeZone} as "dayStart",
      (${logDate}::date + 1)::timestamp at time zone ${timeZone} as "dayEnd") as d`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('Expected one row.')
  return {
    dayStart: new Date(found.dayStart).toISOString(),
    dayEnd: new Date(found.dayEnd).toISOString(),
    editableUntil: new Date(found.editableUntil).toISOString(),
  }
}

/** Returns the activity of a home on a day according to other records, regardless of whether the day has a log. */
export async function findDailyActivity(
  { db, organizationId }: Tenant,
  homeId: string,
  logDate: string,
  { dayStart, dayEnd }: DayBounds,
): Promise<DailyLogActivity> {
  const { rows } = await sql<{ activity: DailyLogActivity }>`
    select ${sql.raw(CURRENT_ACTIVITY_SQL)} as "activity"
    from (select ${organizationId}::text as "organizationId", ${homeId}::text as "homeId", ${logDate}::date as "logDate",
      ${dayStart}::timestamptz as "dayStart", ${dayEnd}::timestamptz as "dayEnd") as t`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('Expected one row.')
  return found.activity
}

/** Stores the bounds of the log's day, which determine the activity of the log. */
export async function storeDayBounds(
  { db, organizationId }: WriteCall,
  id: string,
  { dayStart, dayEnd }: DayBounds,
): Promise<void> {
  await sql`
    update "dailyLogs" set "dayStart" = ${dayStart}, "dayEnd" = ${dayEnd}
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
}

/** Stores the current activity of a log. */
export async function freezeActivity(
  { db, organizationId }: WriteCall,
  { id, activity }: { id: string; activity: DailyLogActivity },
): Promise<void> {
  await sql`
    update "dailyLogs" set "frozenActivity" = ${JSON.stringify(activity)}::jsonb
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
}

export const toLogsToLockSql: DueSql = (now) => sql`
  select "organizationId" from "dailyLogs" where "status" <> 'locked' and "editableUntil" <= ${now}`

/** Returns logs of any organization whose editing period is over, longest overdue first. */
export async function findLogsToLock(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "editableUntil"::text as "at" from "dailyLogs"
    where "status" <> 'locked' and "editableUntil" <= ${page.now} and ${toAfterPositionSql(page, 'editableUntil', 'id')}
    order by "editableUntil", "id" limit ${page.most}`.execute(db)
  return rows
}

export function lockOpenLogs(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'dailyLogs', ids, sql`"status" <> 'locked'`)
}
