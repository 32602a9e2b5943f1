import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Db } from '../../../platform/database/database.ts'

/** The warranty terms of most builders in the United States: one, two, and ten years. */
const INITIAL_TERMS = [
  { name: 'Workmanship', months: 12, scopes: [] },
  { name: 'Systems', months: 24, scopes: ['plumbing', 'electrical', 'hvac'] },
  { name: 'Structure', months: 120, scopes: ['foundation', 'framing'] },
]

/** Creates the initial warranty terms of a new builder. */
export async function insertInitialWarrantyTerms(db: Db, organizationId: string, now: Date): Promise<void> {
  for (const { name, months, scopes } of INITIAL_TERMS)
    await sql`
      insert into "warrantyTerms" ("organizationId", "id", "name", "months", "scopes", "partIds", "version", "createdBy", "createdAt", "updatedAt")
      values (${organizationId}, ${typeid('wtm').toString()}, ${name}, ${months}, ${scopes}::text[], '{}', 1,
        '{"type":"system","id":null}', ${now}::timestamptz, ${now}::timestamptz)`.execute(db)
}
