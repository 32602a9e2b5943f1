import { type Kysely, sql } from 'kysely'

/**
 * These indexes are for filtering by creation time in lists that keep their default order by ID. Records are appended
 * in that order, so a block range index stores only the earliest and latest time of each range of the table. For a
 * million records, the index needs only a few pages, and costs almost nothing when a record is created.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string }>`
    select c."table_name" as "table" from information_schema.columns c
    where c."table_schema" = 'public' and c."column_name" in ('organizationId', 'id', 'createdAt', 'updatedAt')
    group by 1 having count(*) = 4 order by 1`.execute(db)
  for (const { table } of rows)
    await sql`create index if not exists ${sql.ref(`${table}_createdAt`)} on ${sql.table(table)}
      using brin ("createdAt") with (pages_per_range = 32, autosummarize = on)`.execute(db)
}
