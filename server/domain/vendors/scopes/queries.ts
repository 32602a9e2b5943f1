import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Scope } from '../../../../client/contract.gen.ts'
import type { Call, Tenant } from '../../../platform/calls/call.ts'
import { columns } from '../../../platform/database/columns.gen.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { isLikelyTypo } from '../../../platform/problems/similar-names.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update, archive } = defineResource({
  schema: 'Scope',
  filters: { name: (name) => `lower(t."name") = lower(${name})` },
})

/** Returns the number of vendors with the trade. Ignores letter case and archived vendors. */
export async function countCoveringVendors(call: Tenant, name: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from "vendors" u
    where u."organizationId" = ${call.organizationId} and u."archivedAt" is null and ${matchScopesSql(name)}`.execute(
    call.db,
  )
  return rows[0]?.count ?? 0
}

/**
 * Returns the number of records of each kind that contain the name of the trade, including archived records. Ignores
 * letter case.
 */
export async function countTradeUses(call: Tenant, name: string): Promise<{ what: string; count: number }[]> {
  const inTables = TABLES_WITH_TRADES.map(({ table, what, matchSql }) => {
    const ofOrganization = sql`u."organizationId" = ${call.organizationId}`
    return sql`(select ${what}::text as "what", count(*) as "count" from ${sql.table(table)} u
      where ${ofOrganization} and ${matchSql(name)})`
  })
  const { rows } = await sql<{ what: string; count: number }>`${sql.join(inTables, sql` union all `)}`.execute(call.db)
  return rows
}

const matchScopeSql = (name: string) => sql`lower(u."scope") = lower(${name})`
const matchScopesSql = (name: string) =>
  sql`exists (select from unnest(u."scopes") as contained where lower(contained) = lower(${name}))`
const matchRowsSql = (name: string) =>
  sql`exists (select from jsonb_array_elements(u."rows") as r where lower(r->>'scope') = lower(${name}))`

/** The tables that store names of trades: tables with a `scope` or `scopes` column, and the task templates. */
const TABLES_WITH_TRADES = [
  ...Object.entries(columns).flatMap(([table, kinds]) => {
    if (!('organizationId' in kinds)) return []
    const what = table.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    if ('scope' in kinds) return [{ table, what, matchSql: matchScopeSql }]
    return 'scopes' in kinds ? [{ table, what, matchSql: matchScopesSql }] : []
  }),
  { table: 'taskTemplates', what: 'task templates', matchSql: matchRowsSql },
]

/** Returns the trade with this name, regardless of letter case; undefined if there is none. */
export async function findTradeByName(
  { db, organizationId }: Tenant,
  name: string,
): Promise<Pick<Scope, 'name' | 'defaultCostCodeId'> | undefined> {
  const { rows } = await sql<Pick<Scope, 'name' | 'defaultCostCodeId'>>`
    select "name", "defaultCostCodeId" from "scopes"
    where "organizationId" = ${organizationId} and lower("name") = lower(${name}) and "archivedAt" is null`.execute(db)
  return rows[0]
}

/**
 * Returns an SQL expression for the Spanish name of a trade; its value is null if the trade has none. `scope` is an SQL
 * expression for the name of the trade, and `row` is the alias of a row of the same organization.
 */
export function toSpanishScopeSql(scope: string, row = 't'): string {
  return `(select s."spanishName" from "scopes" as s
    where s."organizationId" = ${row}."organizationId" and lower(s."name") = lower(${scope}) and s."archivedAt" is null)`
}

/** Returns the Spanish name of a trade; null if it has none. */
export async function findSpanishScope({ db, organizationId }: Tenant, scope: string | null): Promise<string | null> {
  if (scope === null) return null
  const { rows } = await sql<{ spanishName: string | null }>`
    select "spanishName" from "scopes"
    where "organizationId" = ${organizationId} and lower("name") = lower(${scope}) and "archivedAt" is null`.execute(db)
  return rows[0]?.spanishName ?? null
}

/** Returns the default cost code of the trade; null if the trade has no default. */
export async function findDefaultCostCode(call: Tenant, scope: string): Promise<string | null> {
  return (await findTradeByName(call, scope))?.defaultCostCodeId ?? null
}

/** Returns the default cost codes of these trades. The keys are the given names. */
export async function findDefaultCostCodes(
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

/**
 * The spellings that were recently read from the database, with the times at which they expire. Most vendors have the
 * same few trades, so this cache saves one statement for each vendor.
 */
const cachedSpellings = new Map<string, { name: string; until: number }>()
const CACHE_MS = 5000
const MAX_CACHED = 10_000

/** The organization's spelling of the given names. */
export interface ResolvedTrades {
  readonly spelled: ReadonlyMap<string, string>
  /** The rejected names. Each has the trade that the caller probably meant; null if there is none. */
  readonly refused: ReadonlyMap<string, string | null>
}

/**
 * Returns the trades with these names, in the organization's spelling ("Framing" becomes "framing"). Creates trades for
 * unknown names, except for names that look like a typo of a known trade. A trade that exists twice by accident would
 * split planning, bidding, and purchasing. If `createScopes` is true, creates trades for all unknown names. If it is
 * false, creates no trades.
 */
export async function findOrCreateTrades(
  call: Call,
  names: readonly string[],
  createScopes?: boolean,
): Promise<ResolvedTrades> {
  const now = call.now.getTime()
  const spelled = new Map<string, string>()
  for (const name of names) {
    const known = cachedSpellings.get(`${call.organizationId} ${name}`)
    if (known !== undefined && known.until > now) spelled.set(name, known.name)
  }
  const unsure = [...new Set(names.filter((name) => !spelled.has(name)))]
  if (unsure.length === 0) return { spelled, refused: new Map() }
  const found = await findCanonicalTradeNames(call, unsure)
  const missing = unsure.filter((name) => !found.has(name))
  const refused =
    createScopes === true || missing.length === 0 ? new Map() : await findLikelyTypos(call, missing, createScopes)
  const added = missing.filter((name) => !refused.has(name))
  if (added.length > 0) {
    await sql`
      insert into "scopes" ("organizationId", "id", "name", "createdBy", "createdAt", "updatedAt")
      select o."id", new.*, ${JSON.stringify(call.actor)}::jsonb, ${call.now}::timestamptz, ${call.now}::timestamptz
      from "organizations" as o
      cross join unnest(${added.map(() => typeid('scp').toString())}::text[], ${added}::text[]) as new
      where o."id" = ${call.organizationId}
      on conflict do nothing`.execute(call.db)
    for (const [provided, name] of await findCanonicalTradeNames(call, added)) found.set(provided, name)
  }
  // New names within a transaction are not cached, because the transaction may be rolled back.
  if (!call.isWriting && cachedSpellings.size > MAX_CACHED) cachedSpellings.clear()
  for (const [provided, name] of found) {
    spelled.set(provided, name)
    if (!call.isWriting) cachedSpellings.set(`${call.organizationId} ${provided}`, { name, until: now + CACHE_MS })
  }
  return { spelled, refused }
}

/**
 * The maximum numbers of names that are compared to detect typos, which takes at most a tenth of a second. A call with
 * more new names imports a catalog.
 */
const MAX_NEW_COMPARED = 100
const MAX_KNOWN_COMPARED = 1000

async function findLikelyTypos(
  { db, organizationId }: Tenant,
  missing: readonly string[],
  createScopes: false | undefined,
): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ name: string }>`
    select "name" from "scopes" where "organizationId" = ${organizationId} and "archivedAt" is null
    order by "id" limit ${MAX_KNOWN_COMPARED}`.execute(db)
  const refused = new Map<string, string | null>()
  const there = new Set(rows.map((scope) => scope.name.toLowerCase()))
  missing.forEach((name, i) => {
    // A concurrent request may have created the trade in the meantime.
    if (there.has(name.toLowerCase())) return
    const meant = i < MAX_NEW_COMPARED ? rows.find((scope) => isLikelyTypo(name, scope.name)) : undefined
    if (meant !== undefined || createScopes === false) refused.set(name, meant?.name ?? null)
  })
  return refused
}

/**
 * Returns the problem for trades that cannot be used; null if all of them can be used. `pointer` is the JSON pointer of
 * the input.
 */
export function findTradeProblem(
  call: Call,
  { refused }: ResolvedTrades,
  provided: readonly { pointer: string; name: string }[],
) {
  const wrong = provided.filter(({ name }) => refused.has(name))
  const [first] = wrong
  if (first === undefined) return null
  const isTold = call.permissions.has('vendors:read')
  const reported = wrong.map(({ name }) => (isTold ? (refused.get(name) ?? null) : null))
  const question = (meant: string | null | undefined) => (meant == null ? '' : ` Did you mean "${meant}"?`)
  const way = 'To add a new trade, use createScope.'
  const meant = [...new Set(reported.filter((name) => name !== null))]
  return problem('unknown_reference', `Unknown trade "${first.name}".${question(reported[0])} ${way}`, {
    errors: wrong.map(({ pointer, name }, i) => ({
      ...{ pointer, code: reported[i] == null ? 'unknown_reference' : 'did_you_mean' },
      message: `is not a trade of your organization: "${name}"${reported[i] == null ? '' : `; did you mean "${reported[i]}"?`}`,
    })),
    ...(meant.length > 0 && { didYouMean: meant.slice(0, MAX_SUGGESTIONS) }),
  })
}

/** The maximum number of suggestions of a problem in the API contract. */
const MAX_SUGGESTIONS = 10

/** Returns the trades of an input without duplicates. Throws if a trade is rejected. */
export async function requireTrades(call: Call, names: readonly string[], createScopes?: boolean): Promise<string[]> {
  const found = await findOrCreateTrades(call, names, createScopes)
  const fault = findTradeProblem(
    call,
    found,
    names.map((name, i) => ({ pointer: `/scopes/${i}`, name })),
  )
  if (fault !== null) throw fault
  return [...new Set(names.map((name) => found.spelled.get(name) ?? name))]
}

/** Returns the only trade of an input. Throws if it is rejected. */
export async function requireTrade(call: Call, name: string, createScopes?: boolean): Promise<string> {
  const found = await findOrCreateTrades(call, [name], createScopes)
  const fault = findTradeProblem(call, found, [{ pointer: '/scope', name }])
  if (fault !== null) throw fault
  return found.spelled.get(name) ?? name
}

/** Returns the organization's spelling of the given trades. Omits unknown trades. */
export async function findCanonicalTradeNames(
  { db, organizationId }: Tenant,
  names: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ given: string; name: string }>`
    select g.given, s."name" from unnest(${[...names]}::text[]) as g (given)
    join "scopes" s on s."organizationId" = ${organizationId} and lower(s."name") = lower(g.given) and s."archivedAt" is null`.execute(
    db,
  )
  return new Map(rows.map(({ given, name }) => [given, name]))
}

/**
 * Removes a name from the cache. Must be called when a trade no longer has this name. Otherwise, the next use of the
 * name would not create a trade.
 */
export function forgetSpelling(organizationId: string, name: string): void {
  for (const [key, known] of cachedSpellings) {
    if (key.startsWith(`${organizationId} `) && known.name.toLowerCase() === name.toLowerCase())
      cachedSpellings.delete(key)
  }
}
