import { sql } from 'kysely'
import type { Option } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import type { OptionLinks } from './option-links.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, make, insertAll, update, archive } =
  defineResource({
    schema: 'Option',
    filters: {
      planId: (plan) => `(t."planIds" = '{}' or ${plan} = any(t."planIds"))`,
      communityId: (community) => `(t."communityIds" = '{}' or ${community} = any(t."communityIds"))`,
    },
  })

/** Increments the version of a locked option when only its takeoff has changed. Returns the new version. */
export async function bumpVersion(call: WriteCall, { id, version }: Option): Promise<number> {
  await sql`
    update "options" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  recordChange(call, id, 'updated', ['takeoff'])
  return version + 1
}

/**
 * Locks the links of options until the transaction ends. Otherwise, two concurrent changes could each make one option
 * require the other, which checks of single rows would not detect.
 */
export async function lockOptionLinks({ db, organizationId }: WriteCall): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 74185012))`.execute(db)
}

/** Returns up to a maximum number of options that require or exclude other options. Omits the option `except`. */
export async function listOptionLinks(
  { db, organizationId }: Tenant,
  { except, limit }: { except: string; limit: number },
): Promise<OptionLinks[]> {
  const { rows } = await sql<OptionLinks>`
    select "id", "requiresOptionIds", "excludesOptionIds" from "options"
    where "organizationId" = ${organizationId} and "linkCount" > 0 and "archivedAt" is null and "id" <> ${except}
    limit ${limit}`.execute(db)
  return rows
}

/** Returns the code of an option that requires this option; undefined if there is no such option. */
export async function findRequiringOptionCode({ db, organizationId }: Tenant, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ code: string }>`
    select "code" from "options"
    where "organizationId" = ${organizationId} and "linkCount" > 0 and "archivedAt" is null
      and ${id} = any("requiresOptionIds")
    order by "code" limit 1`.execute(db)
  return rows[0]?.code
}

/** The maximum number of options that one option can require, directly or indirectly, when its cost is computed. */
const MAX_REQUIRED = 200

/** Returns the options that this option requires, directly or indirectly. */
export async function listRequiredOptions(tenant: Tenant, id: string): Promise<Option[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive required as (
      select unnest(o."requiresOptionIds") as "id" from "options" o
      where o."organizationId" = ${tenant.organizationId} and o."id" = ${id}
      union
      select unnest(o."requiresOptionIds") from required
      join "options" o on o."organizationId" = ${tenant.organizationId} and o."id" = required."id"
    )
    select "id" from required limit ${MAX_REQUIRED}`.execute(tenant.db)
  return rows.length === 0
    ? []
    : findAll(
        tenant,
        rows.map((row) => row.id),
      )
}
