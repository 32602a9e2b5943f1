import { sql } from 'kysely'
import type { Database } from '../../server/platform/database/database.ts'

/**
 * Returns the rows and versions in each table. If two snapshots are equal, no request has changed data in between.
 * Leaves out the audit trail and the executions, because they also contain rejected requests. Also leaves out values
 * that change over time or because of deliveries: counters, usage, attempts, times of last use, files in transit, and
 * the search index.
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
  // Reads all tables in one statement, because test suites call this function very often.
  const { rows } = await sql<{ table: string; state: string }>`${sql.join(states, sql` union all `)}`.execute(
    database.statements,
  )
  return Object.fromEntries(rows.map(({ table, state }) => [table, state]))
}
