import { sql } from 'kysely'
import type { Database } from '../../server/platform/database/database.ts'

/** Tables into which any request writes, each with the reason for leaving it out. */
const OMITTED_TABLES: Readonly<Record<string, string>> = {
  limitWindows: 'every request is counted',
  usageDays: 'every request is counted',
  executions: 'what was tried out is recorded as that',
}

/**
 * Returns a checksum of all rows for each table. Two dumps are equal only if the databases are identical, byte for
 * byte. Leaves out the times at which keys were last used.
 */
export async function dumpDatabase(database: Database): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select c."relname" as "name" from "pg_class" c
    where c."relnamespace" = current_schema()::regnamespace and c."relkind" in ('r', 'p') order by 1`.execute(
    database.statements,
  )
  const sums: Record<string, string> = {}
  for (const { name } of tables.filter(({ name }) => !(name in OMITTED_TABLES))) {
    const { rows } = await sql<{ sum: string | null }>`
      select md5(string_agg(md5((to_jsonb(t) - 'lastUsedAt')::text), ',' order by md5((to_jsonb(t) - 'lastUsedAt')::text))) as "sum"
      from ${sql.table(name)} as t`.execute(database.statements)
    sums[name] = rows[0]?.sum ?? 'empty'
  }
  return sums
}

/** Returns the dump after all background work has ended. */
export async function dumpWhenSettled(database: Database): Promise<Record<string, string>> {
  const deadline = Date.now() + 30_000
  for (let before = await dumpDatabase(database); ; ) {
    await new Promise((next) => setTimeout(next, 1500))
    const after = await dumpDatabase(database)
    if (JSON.stringify(before) === JSON.stringify(after)) return after
    if (Date.now() > deadline) throw new Error('The background work does not come to an end.')
    before = after
  }
}
