import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { MovedColumn, MovedTable } from './moved-tables.ts'

/** The number of rows in the first batch. The size of later batches depends on the length of the rows. */
const FIRST_ROWS = 100
const MAX_ROWS = 2000
/** The maximum number of characters in a batch. A single row may be longer. */
const BATCH_CHARACTERS = 2_000_000

/** A row with its values as text. Every type can be converted to text and back without loss. */
export type TextRow = Record<string, string | null>

/**
 * Copies the rows after the target's last row, in the order of the primary key. Each batch is a single statement, so
 * after an interruption, all batches are complete.
 */
export async function copyTable(
  source: Db,
  target: Db,
  table: MovedTable,
  onBatch: (rows: number) => void,
): Promise<void> {
  let after = await readLastKey(target, table)
  let limit = FIRST_ROWS
  for (;;) {
    const rows = await readBatch(source, table, after, limit)
    if (rows.length === 0) return
    await writeBatch(target, table, rows)
    onBatch(rows.length)
    after = rows.at(-1) ?? null
    const characters = rows.flatMap((row) => Object.values(row)).reduce((sum, text) => sum + (text?.length ?? 0), 0)
    limit = Math.max(1, Math.min(MAX_ROWS, Math.floor(BATCH_CHARACTERS / Math.ceil(characters / rows.length + 1))))
  }
}

async function readLastKey(target: Db, { name, key }: MovedTable): Promise<TextRow | null> {
  const backwards = sql.join(key.map((column) => sql`${orderSql(column)} desc`))
  const { rows } = await sql<TextRow>`
    select ${toTextColumnsSql(key)} from ${sql.table(name)} as "t" order by ${backwards} limit 1`.execute(target)
  return rows[0] ?? null
}

async function readBatch(source: Db, table: MovedTable, after: TextRow | null, limit: number): Promise<TextRow[]> {
  const { name, key, columns } = table
  const order = sql.join(key.map(orderSql))
  const last = after && sql.join(key.map((column) => sql`${after[column.name]}::text::${sql.raw(column.type)}`))
  const { rows } = await sql<TextRow>`
    select ${toTextColumnsSql(columns)} from ${sql.table(name)} as "t"
    ${last === null ? sql`` : sql`where (${order}) > (${last})`} order by ${order} limit ${limit}`.execute(source)
  return rows
}

/** Inserts the rows in one statement. */
export async function writeBatch(
  target: Db,
  { name, columns }: Pick<MovedTable, 'name' | 'columns'>,
  rows: readonly TextRow[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column.name)))
  const lists = sql.join(columns.map((column) => sql`${rows.map((row) => row[column.name] ?? null)}::text[]`))
  const casts = sql.join(columns.map((column) => sql`r.${sql.ref(column.name)}::${sql.raw(column.type)}`))
  await sql`
    insert into ${sql.table(name)} (${names}) overriding system value
    select ${casts} from unnest(${lists}) as r (${names})`.execute(target)
}

/** Returns the SQL that selects columns as text. */
export function toTextColumnsSql(columns: readonly MovedColumn[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ name }) => sql`${sql.ref(name)}::text as ${sql.ref(name)}`))
}

// The order must be the same in both databases, whose default collations can differ. Uses the table name, because the
// column name alone would refer to the text column of the result.
function orderSql({ name, isCollated }: MovedColumn): RawBuilder<unknown> {
  const column = sql`"t".${sql.ref(name)}`
  return isCollated ? sql`${column} collate "C"` : column
}
