import type { Tenant } from '../../../platform/calls/call.ts'

/** Returns whether the organization requires that a person other than the creator approves a bill. */
export async function requiresSecondPerson({ db, organizationId }: Tenant): Promise<boolean> {
  const row = await db
    .selectFrom('organizations')
    .select('billSecondPerson')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  return row?.billSecondPerson ?? false
}
