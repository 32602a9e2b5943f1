import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/**
 * Returns the organizations whose records are never due, because they are sandboxes that are being filled with past
 * records or emptied.
 */
export async function findHeldOrganizations(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ organizationId: string }>`
    select "organizationId" from "sandboxes" where "status" in ('filling', 'emptying')`.execute(db)
  return new Set(rows.map(({ organizationId }) => organizationId))
}
