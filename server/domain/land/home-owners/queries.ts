import { sql } from 'kysely'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, findOptional, findAllWith, lock, insert, update, archive } = defineResource({
  schema: 'HomeOwner',
})

/** Records that the owner opened the owner's page. Does not increment the version. */
export async function storePageVisit({ db, organizationId }: Tenant, id: string, now: Date): Promise<void> {
  await sql`
    update "homeOwners" set "lastVisitAt" = ${now} where "organizationId" = ${organizationId} and "id" = ${id}`.execute(
    db,
  )
}

/**
 * Approves the owner's current email address, so that links can be emailed to it without the permission to copy links.
 * Does not increment the version.
 */
export async function approveEmail({ db, organizationId }: Tenant, id: string): Promise<void> {
  await sql`
    update "homeOwners" set "approvedEmail" = "email"
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
}

/** Returns whether the owner's current address was approved with `approveEmail`. */
export async function isEmailApproved({ db, organizationId }: Tenant, id: string): Promise<boolean> {
  const { rows } = await sql<{ isApproved: boolean | null }>`
    select lower("approvedEmail") = lower("email") as "isApproved" from "homeOwners"
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
  return rows[0]?.isApproved === true
}

/** Returns whether a current or former owner of the home has ever had a link. */
export async function hasHomeHadLink({ db, organizationId }: Tenant, homeId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "homeOwners" as o
    join "ownerLinks" as l on l."organizationId" = o."organizationId" and l."homeOwnerId" = o."id"
    where o."organizationId" = ${organizationId} and o."homeId" = ${homeId} limit 1`.execute(db)
  return rows.length > 0
}
