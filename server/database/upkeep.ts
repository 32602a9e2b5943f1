import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Does for the embedded database what a PostgreSQL server's autovacuum does in the background: collects the statistics
 * for planning, and cleans up after changes and deletions. As there, a table is due when a tenth of it has changed or a
 * fifth of it is dead. Without this, the database takes the tables for empty, and so reads and sorts a whole list for
 * each page even though there is an index.
 */
export async function keepUp(database: Database): Promise<void> {
  // A session's changes only count once it reports them, which it puts off while it is busy.
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > 50 + 0.1 * greatest(c."reltuples", 0)
      or s."n_dead_tup" > 50 + 0.2 * greatest(c."reltuples", 0)`.execute(database.statements)
  for (const { name } of rows) await sql`vacuum (analyze) ${sql.table(name)}`.execute(database.statements)
}
