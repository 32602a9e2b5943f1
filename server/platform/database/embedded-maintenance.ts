import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Does for the embedded database what autovacuum does on a PostgreSQL server: collects statistics for the planner, and
 * removes dead rows. The thresholds are those of autovacuum: a table is processed when 10% of its rows have changed or
 * 20% are dead. Without statistics, the planner assumes that tables are empty. It then reads and sorts an entire list
 * for each page instead of using an index.
 */
export async function maintainEmbeddedDatabase(database: Database): Promise<void> {
  // The changes of a session are not counted until the session reports them, and a busy session does so late.
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > 50 + 0.1 * greatest(c."reltuples", 0)
      or s."n_dead_tup" > 50 + 0.2 * greatest(c."reltuples", 0)`.execute(database.statements)
  for (const { name } of rows) await sql`vacuum (analyze) ${sql.table(name)}`.execute(database.statements)
}

/** Tables with fewer rows are fast with every plan. */
const MIN_CHANGED_ROWS = 200
/** The plans of larger tables no longer change. */
const MAX_ANALYZED_ROWS = 100_000

/**
 * Collects statistics of tables whose number of rows has doubled since the previous run. The autovacuum of a server
 * runs only once a minute. Until then, statements keep the plan for an empty table. During a first import, each new
 * vendor would then be compared with all others, which can be 20,000 within that minute. Ignores tables in other
 * schemas of the operator's database.
 */
export async function analyzeGrownTables(database: Database): Promise<void> {
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > greatest(c."reltuples", ${MIN_CHANGED_ROWS})
      and c."reltuples" < ${MAX_ANALYZED_ROWS} and s."schemaname" = current_schema()`.execute(database.statements)
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(database.statements)
}
