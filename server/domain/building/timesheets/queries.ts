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

/** Lists timesheets for callers who may not see wages. */
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
 * Locks the user until the transaction ends. Every change of a user's time does this first, because overlaps must be
 * detected within a week and across two weeks.
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
  /** 1 for Monday to 7 for Sunday. */
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

/** Returns the user's timesheet of the week that begins on this day. */
export async function findByWeek({ db, organizationId }: Tenant, userId: string, weekStarting: string) {
  const { rows } = await sql<Pick<Timesheet, 'id' | 'status'>>`
    select "id", "status" from "timesheets"
    where "organizationId" = ${organizationId} and "userId" = ${userId} and "weekStarting" = ${weekStarting}`.execute(
    db,
  )
  return rows[0]
}

/**
 * Returns the ID of the user's timesheet that contains a date. If the organization changed the first day of its week,
 * two timesheets can; then the later one is returned.
 */
export async function findIdByDate(
  { db, organizationId }: Tenant,
  userId: string,
  { date, earliest }: { date: string; earliest: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "timesheets"
    where "organizationId" = ${organizationId} and "userId" = ${userId}
      and "weekStarting" between ${earliest} and ${date}
    order by "weekStarting" desc limit 1`.execute(db)
  return rows[0]?.id
}

/**
 * Returns the rate of the user's latest timesheet before this week, or else of the earliest one after it; null without
 * any.
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
