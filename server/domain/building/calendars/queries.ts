import { CompiledQuery, sql } from 'kysely'
import type { Address, Task, TaskConfirmationStatus } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { toSuperintendentHomesSql } from '../../land/superintendents.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'CalendarFeed',
})

interface FeedSubject {
  vendorId: string | null
  userId: string | null
}

/** Returns the number of active feeds of the vendor or user. */
export async function countOpenFeeds(
  { db, organizationId }: Tenant,
  { vendorId, userId }: FeedSubject,
): Promise<number> {
  const { count } = await db
    .selectFrom('calendarFeeds')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where(vendorId === null ? 'userId' : 'vendorId', '=', vendorId ?? userId)
    .where('archivedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Locks a user until the transaction ends. */
export async function lockUser(
  { db, organizationId }: WriteCall,
  id: string,
): Promise<{ name: string; status: string } | undefined> {
  const { rows } = await sql<{ name: string; status: string }>`
    select "name", "status" from "users" where "organizationId" = ${organizationId} and "id" = ${id} for no key update`.execute(
    db,
  )
  return rows[0]
}

/** The fields of a task that a calendar shows. */
export type CalendarEntry = Pick<Task, 'id' | 'name' | 'spanishName' | 'scope' | 'status' | 'version'> &
  Pick<Task, 'updatedAt' | 'earlyStart' | 'earlyFinish'> & {
    spanishScope: string | null
    home: string
    address: Address | null
    community: string
    vendor: string | null
    confirmationStatus: TaskConfirmationStatus
  }

/**
 * The maximum number of events in a calendar, which programs read every hour. No crew has this many tasks in a year.
 */
export const MAX_ENTRIES = 2000

interface CalendarWindow extends FeedSubject {
  communityId: string | null
  from: string
  to: string
}

/**
 * Returns the tasks of the vendor or the user. For a user, returns the tasks assigned to the user and all tasks of
 * homes where the user is the superintendent. Returns only tasks on the given days, earliest first.
 */
export async function listCalendarEntries(
  { db, organizationId }: Tenant,
  { vendorId, userId, communityId, from, to }: CalendarWindow,
): Promise<CalendarEntry[]> {
  // The lower bound avoids reading the index from its beginning. The bound excludes no tasks, because no task is longer
  // than a year.
  const mine =
    vendorId === null
      ? `(t."homeId" = any(array(${toSuperintendentHomesSql('$2')})) or t."assigneeUserId" = $2)`
      : `t."vendorId" = $2`
  const statement = `
    select t."id", t."name", t."spanishName", t."scope", s."spanishName" as "spanishScope", t."status", t."version", t."updatedAt",
      t."earlyStart", t."earlyFinish", h."name" as "home", h."address", c."name" as "community", v."companyName" as "vendor",
      t."confirmationStatus"
    from "tasks" as t
    join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    left join "vendors" as v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"
    left join "scopes" as s on s."organizationId" = t."organizationId" and lower(s."name") = lower(t."scope")
      and s."archivedAt" is null
    where t."organizationId" = $1 and t."archivedAt" is null and ${mine}
      and t."plannedStart" between $3::date - 365 and $4::date and t."earlyFinish" >= $3::date
      and ($5::text is null or t."communityId" = $5)
    order by t."plannedStart", t."id" limit ${MAX_ENTRIES}`
  const values = [organizationId, vendorId ?? userId, from, to, communityId]
  return (await db.executeQuery<CalendarEntry>(CompiledQuery.raw(statement, values))).rows
}
