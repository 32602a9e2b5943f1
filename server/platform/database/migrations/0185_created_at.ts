import { type Kysely, sql } from 'kysely'

/**
 * These indexes are for filtering lists by creation time while they have their default order by ID. Records are stored
 * in this order, so a block range index contains only the earliest and the latest time of each range of the table. For
 * a million records, it has only a few pages, and adding a record costs almost nothing.
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
