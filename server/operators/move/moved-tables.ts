import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { MOVE_MARKER_TABLE } from '../../platform/database/unfinished-move.ts'

/** A table to copy. */
export interface MovedTable {
  name: string
  /** The columns of the primary key, in order. */
  key: MovedColumn[]
  /** The columns that can be written. The database computes all other columns from them. */
  columns: MovedColumn[]
}

export interface MovedColumn {
  name: string
  type: string
  /** Whether the column's order depends on a collation, which can differ between the two databases. */
  isCollated: boolean
  /** Whether the column is an identity column, which the database numbers. */
  isIdentity: boolean
}

/**
 * Tables that are not copied. Each database has its own list of migrations, and the marker of a move is not part of the
 * data.
 */
const SKIPPED_TABLES = ['kysely_migration', 'kysely_migration_lock', MOVE_MARKER_TABLE]

/** Returns the tables in the database's catalog, so that new tables are included automatically. */
export async function listMovedTables(db: Db): Promise<MovedTable[]> {
  const { rows } = await sql<MovedTable>`
    select c."relname" as "name",
      (select json_agg(json_build_object('name', a."attname", 'type', format_type(a."atttypid", a."atttypmod"),
          'isCollated', a."attcollation" <> 0, 'isIdentity', a."attidentity" <> '') order by p."place")
        from "pg_constraint" k, unnest(k."conkey") with ordinality as p ("attnum", "place"), "pg_attribute" a
        where k."conrelid" = c."oid" and k."contype" = 'p' and a."attrelid" = c."oid" and a."attnum" = p."attnum") as "key",
      (select json_agg(json_build_object('name', a."attname", 'type', format_type(a."atttypid", a."atttypmod"),
          'isCollated', a."attcollation" <> 0, 'isIdentity', a."attidentity" <> '') order by a."attname" collate "C")
        from "pg_attribute" a
        where a."attrelid" = c."oid" and a."attnum" > 0 and not a."attisdropped" and a."attgenerated" = '') as "columns"
    from "pg_class" c
    where c."relnamespace" = current_schema()::regnamespace and c."relkind" in ('r', 'p') and not c."relispartition"
      and c."relname" <> all(${SKIPPED_TABLES})
    order by c."relname" collate "C"`.execute(db)
  const keyless = rows.find(({ key }) => key === null)
  if (keyless !== undefined) throw new Error(`Expected ${keyless.name} to have a primary key.`)
  return rows
}

export interface TableDigest {
  rows: number
  /** A checksum of the rows that does not depend on their order. */
  checksum: string
}

/** Counts the rows of a table and computes a checksum of their contents. */
export async function computeTableDigest(db: Db, { name, columns }: MovedTable): Promise<TableDigest> {
  const values = sql.join(columns.map((column) => sql.ref(column.name)))
  const { rows } = await sql<{ rows: string | number; checksum: string }>`
    select count(*) as "rows", coalesce(sum(
      ('x' || left(encode(sha256(convert_to(row(${values})::text, 'UTF8')), 'hex'), 16))::bit(64)::bigint), 0)::text as "checksum"
    from ${sql.table(name)}`.execute(db)
  const [digest] = rows
  if (digest === undefined) throw new Error(`Expected a count of ${name}.`)
  return { rows: Number(digest.rows), checksum: digest.checksum }
}
