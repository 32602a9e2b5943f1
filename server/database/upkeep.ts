import { sql } from 'kysely'
import type { Database } from './database.ts'

/**
 * Does for the embedded database what a PostgreSQL server's own workers do in the background: counts what the tables
 * hold, by which statements are planned, and clears what changes and deletions leave behind. A table's turn comes as it
 * would there, with a tenth of it changed or a fifth of it dead. Without this, a list that is there as an index is read
 * whole and sorted for each page, because for all that the database knows the table is empty.
 */
export async function keepUp(database: Database): Promise<void> {
  // A session's changes count once it has reported them, which it puts off while it is busy.
  await sql`select pg_stat_force_next_flush()`.execute(database.statements)
  const { rows } = await sql<{ name: string }>`
    select s."relname" as "name" from "pg_stat_user_tables" s join "pg_class" c on c."oid" = s."relid"
    where s."n_mod_since_analyze" > 50 + 0.1 * greatest(c."reltuples", 0)
      or s."n_dead_tup" > 50 + 0.2 * greatest(c."reltuples", 0)`.execute(database.statements)
  for (const { name } of rows) await sql`vacuum (analyze) ${sql.table(name)}`.execute(database.statements)
}
