import { sql } from 'kysely'
import type { Tenant } from '../../http/call.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findOptional, lock, assertExist, insert, update, archive } = resource({
  schema: 'Part',
  table: 'parts',
  prefix: 'prt',
  filters: { scope: (scope) => `lower(t."scope") = lower(${scope})` },
  search: ['sku', 'name', 'description', 'manufacturer'],
})

/** The cost code of what names this trade and no code of its own; null where the trade has none. */
export async function defaultCostCode({ db, organizationId }: Tenant, scope: string): Promise<string | null> {
  const { rows } = await sql<{ defaultCostCodeId: string | null }>`
    select "defaultCostCodeId" from "scopes"
    where "organizationId" = ${organizationId} and lower("name") = lower(${scope}) and "archivedAt" is null`.execute(db)
  return rows[0]?.defaultCostCodeId ?? null
}

/** Whether the part has a price, be it of the past. */
export async function hasPrices({ db, organizationId }: Tenant, partId: string): Promise<boolean> {
  const { rows } = await sql`
    select from "prices" where "organizationId" = ${organizationId} and "partId" = ${partId} limit 1`.execute(db)
  return rows.length > 0
}
