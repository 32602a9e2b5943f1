import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** The organizations in which nothing comes due: a sandbox that is being filled with a past, or emptied. */
export async function heldOrganizations(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ organizationId: string }>`
    select "organizationId" from "sandboxes" where "status" in ('filling', 'emptying')`.execute(db)
  return new Set(rows.map(({ organizationId }) => organizationId))
}
