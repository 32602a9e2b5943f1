import { sql } from 'kysely'
import type { Db } from '../../server/platform/database/database.ts'

/** Adds copies of a row. Each copy has its own ID and, in columns that must be unique, the values of `unlike`. */
export async function addCopies(
  db: Db,
  { table, id, count, unlike }: { table: string; id: string; count: number; unlike?: string },
): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select "column_name" as "name" from information_schema.columns
    where "table_name" = ${table} and "is_generated" = 'NEVER'`.execute(db)
  const columns = sql.join(rows.map(({ name }) => sql.ref(name)))
  const ofCopy = sql.join(rows.map(({ name }) => sql.ref(`c.${name}`)))
  await sql`
    insert into ${sql.table(table)} (${columns})
    select ${ofCopy} from ${sql.table(table)} as t, generate_series(1, ${count}) as n,
      jsonb_populate_record(t, jsonb_build_object('id', ${id} || '_' || n, ${unlike ?? 'id'}::text,
        case when ${unlike ?? null}::text is null then ${id} || '_' || n else 'copy ' || n end)) as c
    where t."id" = ${id}`.execute(db)
}
