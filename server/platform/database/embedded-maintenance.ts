import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Does for the embedded database what a PostgreSQL server's autovacuum does: collects the statistics for planning, and
 * cleans up after changes and deletions. With the same thresholds, a table is due when a tenth of it has changed or a
 * fifth of it is dead. Without this, the database assumes that the tables are empty, and reads and sorts a whole list
 * for each page although there is an index.
 */
export async function maintainEmbedded(database: Database): Promise<void> {
  // A session's changes count only once it reports them, which it postpones while it is busy.
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > 50 + 0.1 * greatest(c."reltuples", 0)
      or s."n_dead_tup" > 50 + 0.2 * greatest(c."reltuples", 0)`.execute(database.statements)
  for (const { name } of rows) await sql`vacuum (analyze) ${sql.table(name)}`.execute(database.statements)
}

/** Fewer rows are read quickly with any plan. */
const MIN_CHANGED_ROWS = 200
/** A longer table has its final plans. */
const MAX_ANALYZED_ROWS = 100_000

/**
 * Collects the statistics of tables that have doubled since the last time. A server's autovacuum runs once a minute,
 * and until then a statement keeps the plan for an empty table: each vendor of a first import would be compared with
 * all others, 20,000 of them before the minute is over. Other tables in an operator's database are ignored.
 */
export async function analyzeGrownTables(database: Database): Promise<void> {
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > greatest(c."reltuples", ${MIN_CHANGED_ROWS})
      and c."reltuples" < ${MAX_ANALYZED_ROWS} and s."schemaname" = current_schema()`.execute(database.statements)
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(database.statements)
}
