import { sql } from 'kysely'
import type { Tenant } from '../../http/call.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, insertAll, update, archive } = resource({
  schema: 'Part',
  table: 'parts',
  prefix: 'prt',
  // In the organization's spelling, so that the index by trade can be used.
  filters: {
    scope: (scope) =>
      `t."scope" = (select s."name" from "scopes" as s where s."organizationId" = $1 and lower(s."name") = lower(${scope}) and s."archivedAt" is null)`,
  },
  search: ['sku', 'name', 'description', 'manufacturer'],
})

/** Whether the part has or ever had a price. */
export async function hasPrices({ db, organizationId }: Tenant, partId: string): Promise<boolean> {
  const { rows } = await sql`
    select from "prices" where "organizationId" = ${organizationId} and "partId" = ${partId} limit 1`.execute(db)
  return rows.length > 0
}
