import { sql } from 'kysely'
import type { Database } from '../../server/platform/database/database.ts'

/**
 * The contents of the database, table by table, as far as requests determine them: the rows and their versions. If two
 * snapshots are equal, nothing was changed in between. Leaves out what the clock and the deliveries change by
 * themselves (counters, usage, attempts, times of last use, files on their way, the index of the search), and the audit trail
 * and the executions, which refusals are written to as well.
 */
export async function snapshot(database: Database): Promise<Record<string, string>> {
  const tables = await sql<{ table: string; versioned: boolean; keyed: boolean }>`
    select t."table_name" as "table",
      exists (select from information_schema.columns c where c."table_name" = t."table_name" and c."column_name" = 'version') as "versioned",
      exists (select from information_schema.columns c where c."table_name" = t."table_name" and c."column_name" = 'id') as "keyed"
    from information_schema.tables t
    where t."table_schema" = 'public' and t."table_name" !~* 'limit|deliver|attempt|audit|kysely|^search|fileArrivals|looseFiles|usageDays|executions'
    order by 1`.execute(database.statements)
  const states = tables.rows.map(({ table, versioned, keyed }) => {
    const state =
      sql.raw(`count(*) || ' rows ' ${keyed ? `|| coalesce(md5(string_agg("id"::text, ',' order by "id")), '')` : ''}
      ${versioned ? `|| ' versions ' || coalesce(sum("version"), 0)` : ''}`)
    return sql`select ${sql.lit(table)} as "table", ${state} as "state" from ${sql.table(table)}`
  })
  // All in one statement, because suites ask for this again and again.
  const { rows } = await sql<{ table: string; state: string }>`${sql.join(states, sql` union all `)}`.execute(
    database.statements,
  )
  return Object.fromEntries(rows.map(({ table, state }) => [table, state]))
}
