import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'

/**
 * With row-level security, PostgreSQL uses an index only for comparisons that cannot leak values of other
 * organizations. Since the security releases of November 2026, it does so only for comparisons with parameters and
 * plain columns, not for values computed from another table's columns. PostgreSQL makes all other comparisons for each
 * row of the organization, one by one. The functions in this file find the affected statements.
 */
export interface SlowedStatement {
  text: string
  scans: SlowedScan[]
}

interface SlowedScan {
  table: string
  /** The index conditions in the plan of the tables' owner that are missing in the plan of the restricted role. */
  owner: string[]
  /** The index conditions in the plan of the restricted role. */
  behindWall: string[]
}

/** Conditions that never use an index under row-level security, each with the reason why this costs little. */
const ACCEPTED_CONDITIONS: readonly (readonly [table: string, condition: RegExp, reason: string])[] = [
  ['scopes', /lower\(name\)/, 'An organization has some hundred trades.'],
  ['homes', /COALESCE\(block/, 'The lot number selects a few homes, and the block one of them.'],
  ['sales', /COALESCE\(block/, 'The lot number selects a few sales, and the block one of them.'],
  ['users', /COALESCE/, 'An organization has some hundred users, which a report joins by a hash table.'],
]

/**
 * Matches a comparison with a parameter, a constant, the value of a subquery, or a plain column. Such a comparison can
 * use an index under row-level security. If it does not, PostgreSQL has chosen another order of joins.
 */
const PLAIN_COMPARISON =
  /^\(*"?\w+"?\)* (?:=|<|>|<=|>=) (?:ANY )?\(*(?:\$\d+|'[^']*'|ARRAY\[[^\]]*\]|InitPlan \d+\)\.col\d+|(?:"?\w+"?\.)?"?\w+"?)(?:::[\w" ]+(?:\[\])?|\))*$/

/**
 * Runs EXPLAIN for the statements that the test files have sent. Throws if row-level security slows down a statement.
 *
 * @param url an empty, migrated database with tenant isolation, which this function changes
 * @param folder the folder into which each process has written its statements, one JSON string on each line
 */
export async function assertNoStatementIsSlowed(url: string, folder: string): Promise<void> {
  const lines = readdirSync(folder).flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split('\n'))
  const texts = [...new Set(lines.filter((line) => line !== ''))].map((line) => JSON.parse(line) as string)
  const { slowed, explained } = await findSlowedStatements(url, texts)
  console.log(`${explained} statements explained behind the tenant wall, ${slowed.length} of them slowed by it.`)
  if (slowed.length === 0) return
  const described = slowed.map(({ text, scans }) => {
    const list = ({ table, owner, behindWall }: SlowedScan) =>
      `  ${table}: by index without the wall ${owner.join(' and ')}; behind it ${behindWall.join(' and ') || 'nothing'}`
    return `${text.trim()}\n${scans.map(list).join('\n')}`
  })
  throw new Error(
    `Compare columns with parameters or plain columns only, or accept the condition in ${import.meta.filename}:\n\n${described.join('\n\n')}`,
  )
}

/**
 * Runs EXPLAIN for each statement, as the owner of the tables and as the role that calls use. Returns the statements
 * that lose an index condition.
 */
export async function findSlowedStatements(
  url: string,
  texts: readonly string[],
): Promise<{ slowed: SlowedStatement[]; explained: number }> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await pretendTablesAreLarge(client)
    const { rows } = await client.query(`select "rolname" from "pg_roles" where "rolname" like '%_one_organization'`)
    const role = String(rows[0]?.rolname)
    // Asks for the generic plan of a prepared statement, which applies to any parameters. Prefers index scans wherever
    // possible.
    await client.query(`set plan_cache_mode = force_generic_plan; set jit = off; set enable_seqscan = off;
      set enable_hashjoin = off; set enable_mergejoin = off; set enable_material = off`)
    await client.query(`select set_config('plumbline.organization', 'org_1', false)`)
    const slowed: SlowedStatement[] = []
    let explained = 0
    for (const text of texts) {
      if (!/^\s*(?:select|with|insert|update|delete)\b/i.test(text)) continue
      const owner = await findIndexConditions(client, 'none', text)
      const behindWall = await findIndexConditions(client, client.escapeIdentifier(role), text)
      if (owner === null || behindWall === null) continue
      explained++
      const scans = [...owner].flatMap(([alias, { table, conditions }]) => {
        const stored = behindWall.get(alias)?.conditions ?? []
        const isAccepted = (each: string) =>
          ACCEPTED_CONDITIONS.some(([name, pattern]) => name === table && pattern.test(each))
        const lost = conditions.filter(
          (each) => !stored.includes(each) && !PLAIN_COMPARISON.test(each) && !isAccepted(each),
        )
        return lost.length > 0 ? [{ table, owner: lost, behindWall: stored }] : []
      })
      if (scans.length > 0) slowed.push({ text, scans })
    }
    return { slowed, explained }
  } finally {
    await client.end()
  }
}

/**
 * Gives each table one row and statistics of a million rows. In a small table, plans with and without an index would
 * have the same cost.
 */
async function pretendTablesAreLarge(client: pg.Client): Promise<void> {
  const { rows: checks } = await client.query(`
    select conrelid::regclass::text as "table", quote_ident(conname) as "name" from pg_constraint
    where connamespace = 'public'::regnamespace and contype = 'c'`)
  for (const { table, name } of checks) await client.query(`alter table ${table} drop constraint ${name}`)
  const { rows: generated } = await client.query(`
    select attrelid::regclass::text as "table", quote_ident(attname) as "name" from pg_attribute
    where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
      and attgenerated <> '' and attnotnull`)
  for (const { table, name } of generated) await client.query(`alter table ${table} alter column ${name} drop not null`)
  // Turns off triggers and foreign keys.
  await client.query('set session_replication_role = replica')
  const { rows: tables } = await client.query(`
    select c.oid::regclass::text as "table", string_agg(quote_ident(a.attname), ', ' order by a.attnum) as "columns",
      string_agg(case
        when t.typcategory = 'A' then '''{}'''
        when t.typcategory = 'N' then '1'
        when t.typcategory = 'B' then 'true'
        when t.typname in ('date', 'timestamptz') then 'now()'
        when t.typname in ('json', 'jsonb') then '''{}'''
        else '''x''' end || '::' || format_type(a.atttypid, null), ', ' order by a.attnum) as "values"
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and a.attidentity = ''
    join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'kysely%'
    group by c.oid`)
  for (const { table, columns, values } of tables)
    await client.query(`insert into ${table} (${columns}) values (${values}) on conflict do nothing`)
  await client.query(`update pg_class set reltuples = 1000000, relpages = case relkind when 'r' then 1 else 2 end
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`)
}

interface IndexConditions {
  table: string
  conditions: string[]
}

/** Returns the index conditions by the alias of their table; null if the statement cannot be explained. */
async function findIndexConditions(
  client: pg.Client,
  role: string,
  text: string,
): Promise<Map<string, IndexConditions> | null> {
  await client.query(`set role ${role}`)
  try {
    await client.query(`prepare "explained" as ${text}`)
    const { rows: prepared } = await client.query(
      `select cardinality(parameter_types) as "count" from pg_prepared_statements where name = 'explained'`,
    )
    const nulls = Array.from({ length: Number(prepared[0]?.count ?? 0) }, () => 'null').join(', ')
    const { rows } = await client.query(
      `explain (format json, costs off) execute "explained" ${nulls === '' ? '' : `(${nulls})`}`,
    )
    const found = new Map<string, IndexConditions>()
    collectConditions(rows[0]?.['QUERY PLAN'][0].Plan, null, found)
    return found
  } catch {
    // The statement is from a test itself: it uses the test's own table, or a table that calls may not access.
    return null
  } finally {
    await client.query('deallocate all')
  }
}

interface Plan {
  Alias?: string
  'Relation Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

function collectConditions(plan: Plan, above: Plan | null, found: Map<string, IndexConditions>): void {
  // A bitmap index scan contains no table name, but the heap scan above it does.
  const scan = plan['Relation Name'] === undefined ? above : plan
  const condition = plan['Index Cond']
  if (condition !== undefined && scan?.Alias !== undefined) {
    const known = found.get(scan.Alias) ?? { table: scan['Relation Name'] ?? '', conditions: [] }
    known.conditions.push(...condition.split(' AND '))
    found.set(scan.Alias, known)
  }
  for (const each of plan.Plans ?? []) collectConditions(each, scan, found)
}
