import { sql } from 'kysely'
import type { OvertimeRule, Timesheet } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { unknownReference } from '../../../platform/problems/problem.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

const filters = { exported: (isExported: string) => `t."isExported" = ${isExported}` }

export const {
  list: listWithRates,
  find,
  findAll,
  lock,
  insert,
  update,
} = defineResource({ schema: 'Timesheet', filters })

/** Lists timesheets for callers without access to wages. */
export const { list: listWithoutRates } = defineResource({
  schema: 'Timesheet',
  computed: { rate: 'null::numeric', cost: 'null::numeric' },
  filters,
})

export interface TimesheetUser {
  id: string
  name: string
}

/**
 * Locks the user until the transaction ends. Every change of a user's time locks the user first, because entries must
 * not overlap, not even across two weeks.
 */
export async function lockUser({ db, organizationId }: WriteCall, userId: string): Promise<TimesheetUser> {
  const { rows } = await sql<TimesheetUser>`
    select "id", "name" from "users"
    where "organizationId" = ${organizationId} and "id" = ${userId} for no key update`.execute(db)
  const [user] = rows
  if (user === undefined) throw unknownReference(['/userId'])
  return user
}

export interface WeekSettings {
  /** The first day of the week, from 1 (Monday) to 7 (Sunday). */
  weekStartsOn: number
  overtimeRule: OvertimeRule
}

export async function findWeekSettings({ db, organizationId }: Tenant): Promise<WeekSettings> {
  const { rows } = await sql<WeekSettings>`
    select "weekStartsOn", "overtimeRule" from "organizations" where "id" = ${organizationId}`.execute(db)
  const [weeks] = rows
  if (weeks === undefined) throw new Error('Expected the organization of the caller to exist.')
  return weeks
}

/** Returns the user's timesheet for the week that begins on this day. */
export async function findTimesheetByWeek({ db, organizationId }: Tenant, userId: string, weekStarting: string) {
  const { rows } = await sql<Pick<Timesheet, 'id' | 'status'>>`
    select "id", "status" from "timesheets"
    where "organizationId" = ${organizationId} and "userId" = ${userId} and "weekStarting" = ${weekStarting}`.execute(
    db,
  )
  return rows[0]
}

/**
 * Returns the ID of the user's timesheet that contains a date. If the organization has changed the first day of its
 * week, two timesheets can contain the date. Then returns the timesheet with time on the date or, if there is none, the
 * earlier timesheet.
 */
export async function findTimesheetIdByDate(
  { db, organizationId }: Tenant,
  userId: string,
  { date, earliest }: { date: string; earliest: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select s."id" from "timesheets" as s
    where s."organizationId" = ${organizationId} and s."userId" = ${userId}
      and s."weekStarting" between ${earliest} and ${date}
    order by ${hasTimeOn(organizationId, date)} desc, s."weekStarting" limit 1`.execute(db)
  return rows[0]?.id
}

/** Returns the SQL condition that the timesheet `s` has an entry on the date. */
function hasTimeOn(organizationId: string, date: string) {
  return sql`exists (
    select from "timeEntries" as e where e."organizationId" = ${organizationId} and e."timesheetId" = s."id"
      and e."date" = ${date} and e."archivedAt" is null)`
}

/** Returns the user's other timesheet to which the date belongs; undefined if the date belongs to this timesheet. */
export async function findOtherTimesheetOfDate(
  call: Tenant,
  { id, userId, weekStarting }: Pick<Timesheet, 'id' | 'userId' | 'weekStarting'>,
  date: string,
): Promise<Pick<Timesheet, 'id' | 'weekStarting'> | undefined> {
  const { rows } = await sql<Pick<Timesheet, 'id' | 'weekStarting'>>`
    select s."id", s."weekStarting" from "timesheets" as s
    where s."organizationId" = ${call.organizationId} and s."userId" = ${userId} and s."id" <> ${id}
      and s."weekStarting" between ${date}::date - 6 and ${date}
      and (${hasTimeOn(call.organizationId, date)} or (s."weekStarting" < ${weekStarting} and not exists (
        select from "timeEntries" as own where own."organizationId" = ${call.organizationId}
          and own."timesheetId" = ${id} and own."date" = ${date} and own."archivedAt" is null)))
    order by s."weekStarting" limit 1`.execute(call.db)
  return rows[0]
}

/**
 * Returns the rate of the user's latest timesheet before this week or, if there is none, of the earliest timesheet
 * after this week. Returns null if there are no other timesheets.
 */
export async function findLatestRate(
  { db, organizationId }: Tenant,
  userId: string,
  week: string,
): Promise<number | null> {
  const { rows } = await sql<{ rate: number | null }>`
    select "rate" from "timesheets" where "organizationId" = ${organizationId} and "userId" = ${userId}
    order by "weekStarting" > ${week}, abs("weekStarting" - ${week}::date) limit 1`.execute(db)
  return rows[0]?.rate ?? null
}
