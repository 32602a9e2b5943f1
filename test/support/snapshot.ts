import { sql } from 'kysely'
import type { Database } from '../../server/database/database.ts'

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
  const standing: Record<string, string> = {}
  for (const { table, versioned, keyed } of tables.rows) {
    const state =
      sql.raw(`count(*) || ' rows ' ${keyed ? `|| coalesce(md5(string_agg("id"::text, ',' order by "id")), '')` : ''}
      ${versioned ? `|| ' versions ' || coalesce(sum("version"), 0)` : ''}`)
    const { rows } = await sql<{ state: string }>`select ${state} as "state" from ${sql.table(table)}`.execute(
      database.statements,
    )
    standing[table] = rows[0]?.state ?? ''
  }
  return standing
}
