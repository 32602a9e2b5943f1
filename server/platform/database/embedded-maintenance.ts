import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Does the work of a PostgreSQL server's autovacuum for the embedded database: collects statistics for the planner, and
 * cleans up after changes and deletions. The thresholds are the same as for autovacuum: a table is processed when a
 * tenth of its rows have changed or a fifth are dead. Without statistics, the database assumes that the tables are
 * empty. The database then reads and sorts a whole list for each page, although there is an index.
 */
export async function maintainEmbeddedDatabase(database: Database): Promise<void> {
  // The changes of a session count only once the session reports them, and a busy session postpones reporting.
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > 50 + 0.1 * greatest(c."reltuples", 0)
      or s."n_dead_tup" > 50 + 0.2 * greatest(c."reltuples", 0)`.execute(database.statements)
  for (const { name } of rows) await sql`vacuum (analyze) ${sql.table(name)}`.execute(database.statements)
}

/** A table with fewer rows is read quickly with every plan. */
const MIN_CHANGED_ROWS = 200
/** The plans for a larger table no longer change. */
const MAX_ANALYZED_ROWS = 100_000

/**
 * Collects the statistics of tables that have doubled since the last run. A server's autovacuum runs once a minute, and
 * until then a statement keeps the plan for an empty table. During a first import, each vendor would be compared with
 * all other vendors, of which there can be 20,000 before the minute ends. Tables in other schemas of the operator's
 * database are ignored.
 */
export async function analyzeGrownTables(database: Database): Promise<void> {
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > greatest(c."reltuples", ${MIN_CHANGED_ROWS})
      and c."reltuples" < ${MAX_ANALYZED_ROWS} and s."schemaname" = current_schema()`.execute(database.statements)
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(database.statements)
}
