import { sql } from 'kysely'
import type { Tenant } from '../../../platform/calls/call.ts'

/** The builder's terms for all orders; null without any. */
export async function termsOf({ db, organizationId }: Tenant): Promise<string | null> {
  const { rows } = await sql<{ poTerms: string | null }>`
    select "poTerms" from "organizations" where "id" = ${organizationId}`.execute(db)
  return rows[0]?.poTerms ?? null
}
