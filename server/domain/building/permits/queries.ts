import { sql } from 'kysely'
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

export const { list, find, findOptional, findAllWith, lock, insert, update } = defineResource({
  schema: 'Permit',
  filters: {
    expiresBy: (date) => `t."status" = 'issued' and t."expiryOrder" <= ${date} and t."expiryDate" is not null`,
  },
  // Permits that do not expire sort last. A cursor cannot contain null, so these permits have a sort value.
  sorts: {
    expiryDate: {
      column: 'expiryOrder',
      from: (date) => `coalesce(nullif(${date}, 'null')::date, date '9999-12-31')`,
    },
  },
})

/** Records for which expiration date the warning event was sent. Changes no visible field. */
export async function recordExpiryWarning(
  { db, organizationId }: WriteCall,
  id: string,
  expiryDate: string,
): Promise<void> {
  await db
    .updateTable('permits')
    .set({ warnedOf: expiryDate })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

export async function hasOpenInspections({ db, organizationId }: Tenant, permitId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "inspections"
    where "organizationId" = ${organizationId} and "permitId" = ${permitId} and "status" in ('requested', 'scheduled')
    limit 1`.execute(db)
  return rows.length > 0
}

// No time zone is more than a day ahead of UTC, so the query reads the small index only through tomorrow's date in UTC.
const isToAnnounce = (now: Date) => sql`p."warnOn" <= (${now}::timestamptz at time zone 'UTC')::date + 1
  and p."warnOn" <= (${now}::timestamptz at time zone c."timeZone")::date
  and p."expiryDate" >= (${now}::timestamptz at time zone c."timeZone")::date`

const isExpired = (now: Date) => sql`p."status" = 'issued' and p."expiryDate" is not null
  and p."expiryDate" <= (${now}::timestamptz at time zone 'UTC')::date
  and p."expiryDate" < (${now}::timestamptz at time zone c."timeZone")::date`

/** SQL for the due permits: permits to warn about, and permits to expire. */
export const toDuePermitsSql: DueSql = (now) => sql`
  select p."organizationId" from "permits" as p
  join "communities" as c on c."organizationId" = p."organizationId" and c."id" = p."communityId"
  where ${isToAnnounce(now)}
  union all
  select p."organizationId" from "permits" as p
  join "communities" as c on c."organizationId" = p."organizationId" and c."id" = p."communityId"
  where ${isExpired(now)}`

/**
 * Returns issued permits of any organization that expire within 30 days and have no warning event yet, earliest first.
 */
export async function findPermitsToAnnounce(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select p."organizationId", p."id" as "claimedId", p."id", p."warnOn"::text as "at" from "permits" as p
    join "communities" as c on c."organizationId" = p."organizationId" and c."id" = p."communityId"
    where ${isToAnnounce(page.now)} and ${toAfterPositionSql(page, 'p.warnOn', 'p.id')}
    order by p."warnOn", p."id" limit ${page.most}`.execute(db)
  return rows
}

export function lockPermitsToAnnounce(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'permits', ids, sql`"warnOn" is not null`)
}

/**
 * Returns issued permits of any organization whose last day has passed in their community's time zone, longest overdue
 * first.
 */
export async function findExpiredPermits(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select p."organizationId", p."id" as "claimedId", p."id", p."expiryDate"::text as "at" from "permits" as p
    join "communities" as c on c."organizationId" = p."organizationId" and c."id" = p."communityId"
    where ${isExpired(page.now)} and ${toAfterPositionSql(page, 'p.expiryDate', 'p.id')}
    order by p."expiryDate", p."id" limit ${page.most}`.execute(db)
  return rows
}

export function lockIssuedPermits(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'permits', ids, sql`"status" = 'issued'`)
}
