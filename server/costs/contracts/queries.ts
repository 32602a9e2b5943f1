import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import type { Tenant, WriteCall } from '../../http/call.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, findOptional, lock, insert, update, archive } = resource({
  schema: 'Contract',
  table: 'contracts',
  prefix: 'ctr',
  long: ['lines', 'notes', 'communityIds', 'planIds'],
  filters: {
    communityId: (community) => `(t."communityIds" = '{}' or ${community} = any(t."communityIds"))`,
    planId: (plan) => `(t."planIds" = '{}' or ${plan} = any(t."planIds"))`,
    expiringBy: (date) => `t."expirationDate" <= ${date}`,
  },
  search: ['number', 'notes'],
})

/** The organization's next number. The counter row stays locked until the transaction ends, so other creators wait. */
export async function nextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "contractNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `CT-${String(rows[0]?.last).padStart(4, '0')}`
}

export interface Revision {
  id: string
  revision: number
  status: string
  isArchived: boolean
}

/** All revisions of a number, the first one first. Exact while the newest that is not archived is locked. */
export async function revisionsOf({ db, organizationId }: Tenant, number: string): Promise<Revision[]> {
  const { rows } = await sql<Revision>`
    select "id", "revision", "status", "archivedAt" is not null as "isArchived" from "contracts"
    where "organizationId" = ${organizationId} and "number" = ${number} order by "revision"`.execute(db)
  return rows
}

/** Active contracts of any organization whose last day is over there, longest overdue first. */
export async function due(db: Db, now: Date, most: number): Promise<{ organizationId: string; id: string }[]> {
  // Nowhere is the date more than a day ahead of UTC, so the small index is read up to there.
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select c."organizationId", c."id" from "contracts" as c
    join "organizations" as o on o."id" = c."organizationId"
    where c."status" = 'active' and c."expirationDate" is not null
      and c."expirationDate" <= (${now}::timestamptz at time zone 'UTC')::date
      and c."expirationDate" < (${now}::timestamptz at time zone o."timeZone")::date
    order by c."expirationDate" limit ${most}`.execute(db)
  return rows
}

/** Locks a contract that is still active; false if another process has locked or already ended it. */
export async function lockActive({ db, organizationId }: WriteCall, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "contracts"
    where "organizationId" = ${organizationId} and "id" = ${id} and "status" = 'active'
    for no key update skip locked`.execute(db)
  return rows.length > 0
}
