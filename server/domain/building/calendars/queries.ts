import { CompiledQuery, sql } from 'kysely'
import type { Address, Task } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { resource } from '../../../platform/resources/resource.ts'
import { homesOfSuperintendent } from '../../land/superintendents.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = resource({
  schema: 'CalendarFeed',
})

interface Subject {
  vendorId: string | null
  userId: string | null
}

/** How many open feeds the vendor or the user has. */
export async function countOpen({ db, organizationId }: Tenant, { vendorId, userId }: Subject): Promise<number> {
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

/** What a calendar shows of a task. */
export type Entry = Pick<Task, 'id' | 'name' | 'scope' | 'status' | 'version' | 'updatedAt'> &
  Pick<Task, 'earlyStart' | 'earlyFinish'> & {
    home: string
    address: Address | null
    community: string
    vendor: string | null
  }

/** The most events in a calendar, which programs read again every hour; no crew has as many tasks in a year. */
export const MOST_ENTRIES = 2000

interface Window extends Subject {
  communityId: string | null
  from: string
  to: string
}

/**
 * The tasks of the vendor, or of the homes of which the user is the superintendent or that the user sees to, from the
 * first day to the last. The earliest come first where there are more than fit.
 */
export async function entriesOf(
  { db, organizationId }: Tenant,
  { vendorId, userId, communityId, from, to }: Window,
): Promise<Entry[]> {
  // A task takes a year at most, or is planned anew, so that no index is read from its beginning.
  const mine =
    vendorId === null
      ? `(t."homeId" = any(array(${homesOfSuperintendent('$2')})) or t."assigneeUserId" = $2)`
      : `t."vendorId" = $2`
  const statement = `
    select t."id", t."name", t."scope", t."status", t."version", t."updatedAt", t."earlyStart", t."earlyFinish",
      h."name" as "home", h."address", c."name" as "community", v."companyName" as "vendor"
    from "tasks" as t
    join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId"
    left join "vendors" as v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"
    where t."organizationId" = $1 and t."archivedAt" is null and ${mine}
      and t."plannedStart" between $3::date - 365 and $4::date and t."earlyFinish" >= $3::date
      and ($5::text is null or t."communityId" = $5)
    order by t."plannedStart", t."id" limit ${MOST_ENTRIES}`
  const values = [organizationId, vendorId ?? userId, from, to, communityId]
  return (await db.executeQuery<Entry>(CompiledQuery.raw(statement, values))).rows
}
