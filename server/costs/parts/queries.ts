import { sql } from 'kysely'
import type { Tenant } from '../../http/call.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, findOptional, lock, assertExist, insert, update, archive } = resource({
  schema: 'Part',
  table: 'parts',
  prefix: 'prt',
  filters: { scope: (scope) => `lower(t."scope") = lower(${scope})` },
  search: ['sku', 'name', 'description', 'manufacturer'],
})

/** Whether the part has a price, be it of the past. */
export async function hasPrices({ db, organizationId }: Tenant, partId: string): Promise<boolean> {
  const { rows } = await sql`
    select from "prices" where "organizationId" = ${organizationId} and "partId" = ${partId} limit 1`.execute(db)
  return rows.length > 0
}
