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
  // Permits that do not expire sort last. A cursor cannot contain null, so these permits get a value to sort by.
  sorts: {
    expiryDate: {
      column: 'expiryOrder',
      from: (date) => `coalesce(nullif(${date}, 'null')::date, date '9999-12-31')`,
    },
  },
})

/** Records the expiration date that subscribers were warned about. No visible field changes. */
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

// No time zone is more than a day ahead of UTC, so the small index is read up to tomorrow.
const isToAnnounce = (now: Date) => sql`p."warnOn" <= (${now}::timestamptz at time zone 'UTC')::date + 1
  and p."warnOn" <= (${now}::timestamptz at time zone c."timeZone")::date
  and p."expiryDate" >= (${now}::timestamptz at time zone c."timeZone")::date`

const isExpired = (now: Date) => sql`p."status" = 'issued' and p."expiryDate" is not null
  and p."expiryDate" <= (${now}::timestamptz at time zone 'UTC')::date
  and p."expiryDate" < (${now}::timestamptz at time zone c."timeZone")::date`

/** Permits to announce and permits to expire. */
export const toDuePermitsSql: DueSql = (now) => sql`
  select p."organizationId" from "permits" as p
  join "communities" as c on c."organizationId" = p."organizationId" and c."id" = p."communityId"
  where ${isToAnnounce(now)}
  union all
  select p."organizationId" from "permits" as p
  join "communities" as c on c."organizationId" = p."organizationId" and c."id" = p."communityId"
  where ${isExpired(now)}`

/** Returns issued permits of any organization that expire within 30 days and were not announced, earliest first. */
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

/** Returns issued permits of any organization whose last day has passed in its community, longest overdue first. */
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
