import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Scope } from '../../client/contract.gen.ts'
import type { Db } from '../database/database.ts'
import { resource } from '../database/resource.ts'
import type { Call } from '../http/call.ts'

export const { list, find, lock, insert, update, archive } = resource<Scope>({
  table: 'scopes',
  prefix: 'scp',
  columns: {
    id: 'plain',
    name: 'plain',
    code: 'plain',
    sequence: 'plain',
    version: 'plain',
    createdBy: 'json',
    createdAt: 'plain',
    updatedAt: 'plain',
    archivedAt: 'plain',
  },
  filters: { name: (name) => `lower(t."name") = lower(${name})` },
  search: ['name', 'code'],
})

/** How many vendors that are not archived cover the trade, in upper or lower case. */
export async function coveringVendors(db: Db, organizationId: string, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from "vendors" v
    where v."organizationId" = ${organizationId} and v."archivedAt" is null and ${covers(name)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** How many records of each kind carry the trade's name, archived ones and old ones too. */
export async function usesOf(db: Db, organizationId: string, name: string): Promise<{ what: string; count: number }[]> {
  const inTable = (table: string) => sql`
    select count(*) from ${sql.table(table)} u where u."organizationId" = ${organizationId} and lower(u."scope") = lower(${name})`
  const { rows } = await sql<{ what: string; count: number }>`
    select 'vendors' as "what", (select count(*) from "vendors" v where v."organizationId" = ${organizationId} and ${covers(name)}) as "count"
    union all select 'budget lines', (${inTable('budgetLines')})
    union all select 'bid requests', (${inTable('bidRequests')})
    union all select 'purchase orders', (${inTable('purchaseOrders')})`.execute(db)
  return rows
}

function covers(name: string) {
  return sql`exists (select 1 from unnest(v."scopes") as covered where lower(covered) = lower(${name}))`
}

/**
 * Names that were in the database a moment ago, and until when that is believed. Vendors come with the same few trades
 * again and again; this saves each of them a statement.
 */
const believed = new Map<string, number>()
const BELIEVED_MS = 5000
const MOST_BELIEVED = 10_000

/** Makes scopes of the names that are none yet. */
export async function ensure(db: Db, call: Call, names: readonly string[]): Promise<void> {
  const now = call.now.getTime()
  const unsure = names.filter((name) => !((believed.get(`${call.organizationId} ${name}`) ?? 0) > now))
  if (unsure.length === 0) return
  await sql`
    insert into "scopes" ("organizationId", "id", "name", "createdBy", "createdAt", "updatedAt")
    select ${call.organizationId}, new.*, ${JSON.stringify(call.actor)}::jsonb, ${call.now}, ${call.now}
    from unnest(${unsure.map(() => typeid('scp').toString())}::text[], ${unsure}::text[]) as new
    on conflict do nothing`.execute(db)
  // Inside a transaction they may yet be rolled back.
  if (db.isTransaction) return
  if (believed.size > MOST_BELIEVED) believed.clear()
  for (const name of unsure) believed.set(`${call.organizationId} ${name}`, now + BELIEVED_MS)
}

/** To be called when a name stops being a scope's, so that its next use makes it one again. */
export function forget(organizationId: string, name: string): void {
  believed.delete(`${organizationId} ${name}`)
}
