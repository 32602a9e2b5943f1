import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Call, Tenant } from '../../http/call.ts'
import { resource } from '../../resources/resource.ts'

export const { list, find, findAll, lock, insert, update, archive } = resource({
  schema: 'Scope',
  table: 'scopes',
  prefix: 'scp',
  filters: { name: (name) => `lower(t."name") = lower(${name})` },
})

/** How many vendors cover the trade, ignoring case and archived vendors. */
export async function coveringVendors(call: Tenant, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from "vendors" v
    where v."organizationId" = ${call.organizationId} and v."archivedAt" is null and ${covers(name)}`.execute(call.db)
  return rows[0]?.count ?? 0
}

/** How many records of each kind use the trade's name, including archived and old ones. */
export async function usesOf(call: Tenant, name: string): Promise<{ what: string; count: number }[]> {
  const inTable = (table: string) => sql`
    select count(*) from ${sql.table(table)} u where u."organizationId" = ${call.organizationId} and lower(u."scope") = lower(${name})`
  const { rows } = await sql<{ what: string; count: number }>`
    select 'vendors' as "what", (select count(*) from "vendors" v where v."organizationId" = ${call.organizationId} and ${covers(name)}) as "count"
    union all select 'budget lines', (${inTable('budgetLines')})
    union all select 'bid requests', (${inTable('bidRequests')})
    union all select 'purchase orders', (${inTable('purchaseOrders')})
    union all select 'tasks', (${inTable('tasks')})
    union all select 'time entries', (${inTable('timeEntries')})
    union all select 'task templates', (
      select count(*) from "taskTemplates" t where t."organizationId" = ${call.organizationId}
        and exists (select from jsonb_array_elements(t."rows") r where lower(r->>'scope') = lower(${name})))`.execute(
    call.db,
  )
  return rows
}

/** The cost code of what names this trade and no code of its own; null where the trade has none. */
export async function defaultCostCode({ db, organizationId }: Tenant, scope: string): Promise<string | null> {
  const { rows } = await sql<{ defaultCostCodeId: string | null }>`
    select "defaultCostCodeId" from "scopes"
    where "organizationId" = ${organizationId} and lower("name") = lower(${scope}) and "archivedAt" is null`.execute(db)
  return rows[0]?.defaultCostCodeId ?? null
}

/** The default cost codes of these trades, by the names as given. */
export async function defaultCostCodes(
  { db, organizationId }: Tenant,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ name: string; costCodeId: string }>`
    select g."name", s."defaultCostCodeId" as "costCodeId" from unnest(${[...names]}::text[]) as g ("name")
    join "scopes" as s on s."organizationId" = ${organizationId} and lower(s."name") = lower(g."name")
      and s."archivedAt" is null
    where s."defaultCostCodeId" is not null`.execute(db)
  return new Map(rows.map(({ name, costCodeId }) => [name, costCodeId]))
}

function covers(name: string) {
  return sql`exists (select 1 from unnest(v."scopes") as covered where lower(covered) = lower(${name}))`
}

/**
 * How names were spelled in the database a moment ago, and until when to trust that. Vendors come with the same few
 * trades again and again; this saves a statement for each of them.
 */
const believed = new Map<string, { name: string; until: number }>()
const BELIEVED_MS = 5000
const MOST_BELIEVED = 10_000

/**
 * The scopes with these names, as the organization spells them ("Framing" is its "framing"), each once. New names
 * become scopes.
 */
export async function named(call: Call, names: readonly string[]): Promise<string[]> {
  const now = call.now.getTime()
  const spelling = new Map<string, string>()
  for (const name of names) {
    const known = believed.get(`${call.organizationId} ${name}`)
    if (known !== undefined && known.until > now) spelling.set(name, known.name)
  }
  const unsure = names.filter((name) => !spelling.has(name))
  if (unsure.length > 0) {
    const found = await known(call, unsure)
    const missing = unsure.filter((name) => !found.has(name))
    if (missing.length > 0) {
      await sql`
        insert into "scopes" ("organizationId", "id", "name", "createdBy", "createdAt", "updatedAt")
        select ${call.organizationId}, new.*, ${JSON.stringify(call.actor)}::jsonb, ${call.now}, ${call.now}
        from unnest(${missing.map(() => typeid('scp').toString())}::text[], ${missing}::text[]) as new
        on conflict do nothing`.execute(call.db)
      for (const [given, name] of await known(call, missing)) found.set(given, name)
    }
    // Within a transaction they may still be rolled back.
    if (!call.isWriting && believed.size > MOST_BELIEVED) believed.clear()
    for (const [given, name] of found) {
      spelling.set(given, name)
      if (!call.isWriting) believed.set(`${call.organizationId} ${given}`, { name, until: now + BELIEVED_MS })
    }
  }
  return [...new Set(names.map((name) => spelling.get(name) ?? name))]
}

/** How the organization spells the trades of these names, by what they were given as; those that it has not are left out. */
export async function known({ db, organizationId }: Tenant, names: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ given: string; name: string }>`
    select g.given, s."name" from unnest(${[...names]}::text[]) as g (given)
    join "scopes" s on s."organizationId" = ${organizationId} and lower(s."name") = lower(g.given) and s."archivedAt" is null`.execute(
    db,
  )
  return new Map(rows.map(({ given, name }) => [given, name]))
}

/** The same for many names, each by what it was given as. */
export async function spelled(call: Call, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const given = [...new Set(names)]
  const byLower = new Map((await named(call, given)).map((name) => [name.toLowerCase(), name]))
  return new Map(given.map((name) => [name, byLower.get(name.toLowerCase()) ?? name]))
}

/** The same for one name. */
export async function nameOf(call: Call, name: string): Promise<string> {
  return (await named(call, [name]))[0] ?? name
}

/** Has to be called when a scope loses its name, so that the next use of the name creates a scope again. */
export function forget(organizationId: string, name: string): void {
  for (const [key, known] of believed) {
    if (key.startsWith(`${organizationId} `) && known.name.toLowerCase() === name.toLowerCase()) believed.delete(key)
  }
}
