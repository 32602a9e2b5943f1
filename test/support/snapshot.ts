import { sql } from 'kysely'
import type { Database } from '../../server/platform/database/database.ts'

/**
 * Returns the contents of the database by table, as far as requests determine them: the rows and their versions. If two
 * snapshots are equal, nothing was changed in between. The audit trail and the executions are omitted, because
 * rejections are also written to them. Values that change over time or through deliveries are also omitted: counters,
 * usage, attempts, times of last use, files in transit, and the search index.
 */
export async function takeSnapshot(database: Database): Promise<Record<string, string>> {
  const tables = await sql<{ table: string; versioned: boolean; keyed: boolean }>`
    select t."table_name" as "table",
      exists (select from information_schema.columns c where c."table_name" = t."table_name" and c."column_name" = 'version') as "versioned",
      exists (select from information_schema.columns c where c."table_name" = t."table_name" and c."column_name" = 'id') as "keyed"
    from information_schema.tables t
    where t."table_schema" = 'public' and t."table_name" !~* 'limit|deliver|attempt|audit|kysely|^search|fileArrivals|looseFiles|usageDays|executions|ledgerChecks|ledgerDifferences'
    order by 1`.execute(database.statements)
  const states = tables.rows.map(({ table, versioned, keyed }) => {
    const state =
      sql.raw(`count(*) || ' rows ' ${keyed ? `|| coalesce(md5(string_agg("id"::text, ',' order by "id")), '')` : ''}
      ${versioned ? `|| ' versions ' || coalesce(sum("version"), 0)` : ''}`)
    return sql`select ${sql.lit(table)} as "table", ${state} as "state" from ${sql.table(table)}`
  })
  // Uses a single statement, because suites request this again and again.
  const { rows } = await sql<{ table: string; state: string }>`${sql.join(states, sql` union all `)}`.execute(
    database.statements,
  )
  return Object.fromEntries(rows.map(({ table, state }) => [table, state]))
}
