import { sql } from 'kysely'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const {
  list,
  find,
  findAll,
  findOptional,
  lock,
  assertExist,
  insert,
  make,
  insertAll,
  updateAll,
  update,
  archive,
} = defineResource({
  schema: 'Vendor',
  long: ['contacts', 'scopes', 'communityIds'],
  filters: {
    scope: (scope) => `${scope} = any(t."scopes")`,
    communityId: (community) => `(t."communityIds" = '{}' or ${community} = any(t."communityIds"))`,
  },
})

/**
 * Computes again when the vendors whose preferences have changed are notified of their upcoming tasks. The database
 * computes these times whenever a planned start is written. No visible field of a task changes, so the versions stay
 * the same.
 */
export async function recalculateNoticeTimes({ db, organizationId }: WriteCall, ...vendorIds: string[]): Promise<void> {
  if (vendorIds.length === 0) return
  await sql`
    update "tasks" as t set "plannedStart" = t."plannedStart"
    where t."organizationId" = ${organizationId} and t."vendorId" = any(${vendorIds}::text[]) and t."status" = 'not_started'
      and t."archivedAt" is null`.execute(db)
}
