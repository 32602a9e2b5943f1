import { sql } from 'kysely'
import type { Tenant } from '../../../platform/calls/call.ts'

/** Returns the builder's terms for all orders; null if the builder has no terms. */
export async function findOrderTerms({ db, organizationId }: Tenant): Promise<string | null> {
  const { rows } = await sql<{ poTerms: string | null }>`
    select "poTerms" from "organizations" where "id" = ${organizationId}`.execute(db)
  return rows[0]?.poTerms ?? null
}
