import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * A table that belongs to an organization. Read from the catalog of the database, so that no list has to be maintained.
 */
export interface OwnedTable {
  name: string
  /** The columns of the primary key, except the organization. */
  key: string[]
  /** The columns that can contain any text. Excludes keys, references, and computed columns. */
  texts: { name: string; type: string }[]
  isVersioned: boolean
  references: TableReference[]
  /** The number of foreign keys that refer to the table. The database checks all of them for each deleted row. */
  referredBy: number
}

export interface TableReference {
  columns: string[]
  /** The table to which the foreign key refers. */
  to: string
}

export async function listOwnedTables(db: Db): Promise<OwnedTable[]> {
  const { rows: columns } = await sql<{ table: string; name: string; type: string; isComputed: boolean }>`
    select c."relname" as "table", a."attname" as "name", format_type(a."atttypid", null) as "type",
      a."attgenerated" <> '' as "isComputed"
    from "pg_attribute" a join "pg_class" c on c."oid" = a."attrelid"
    where c."relnamespace" = current_schema()::regnamespace and c."relkind" in ('r', 'p') and a."attnum" > 0 and not a."attisdropped"
    order by c."relname", a."attnum"`.execute(db)
  const { rows: constraints } = await sql<{ table: string; type: string; to: string | null; columns: string[] }>`
    select c."relname" as "table", k."contype"::text as "type", f."relname" as "to",
      array(select a."attname"::text from unnest(k."conkey") with ordinality as p ("attnum", "place")
        join "pg_attribute" a on a."attrelid" = k."conrelid" and a."attnum" = p."attnum" order by p."place") as "columns"
    from "pg_constraint" k join "pg_class" c on c."oid" = k."conrelid" left join "pg_class" f on f."oid" = k."confrelid"
    where c."relnamespace" = current_schema()::regnamespace and k."contype" in ('p', 'f')`.execute(db)
  const byTable = Map.groupBy(columns, ({ table }) => table)
  const owned = [...byTable].filter(([, all]) => all.some(({ name }) => name === 'organizationId'))
  return owned.map(([name, all]) => {
    const own = constraints.filter(({ table }) => table === name)
    const references = own.flatMap(({ type, to, columns }) => (type === 'f' && to !== null ? [{ columns, to }] : []))
    const key = own.find(({ type }) => type === 'p')?.columns ?? []
    const bound = new Set([...key, ...references.flatMap(({ columns }) => columns)])
    return {
      name,
      key: key.filter((column) => column !== 'organizationId'),
      texts: all.filter(
        ({ name, type, isComputed }) => TEXT_TYPES.has(type) && !isComputed && !bound.has(name) && !isIdColumn(name),
      ),
      isVersioned: ['version', 'updatedAt'].every((column) => all.some((one) => one.name === column)),
      references,
      referredBy: constraints.filter(({ type, to }) => type === 'f' && to === name).length,
    }
  })
}

const TEXT_TYPES = new Set(['text', 'character varying', 'json', 'jsonb', 'text[]'])

function isIdColumn(column: string): boolean {
  return column === 'organizationId' || column === 'id' || /Ids?$/.test(column)
}

/**
 * Returns the tables in an order in which their rows can be deleted. Each table precedes the tables to which it refers.
 */
export function sortChildrenFirst(tables: readonly OwnedTable[]): OwnedTable[] {
  const left = new Map(tables.map((table) => [table.name, table]))
  const ordered: OwnedTable[] = []
  while (left.size > 0) {
    const referred = new Set(
      [...left.values()].flatMap(({ name, references }) => references.map(({ to }) => to).filter((to) => to !== name)),
    )
    const free = [...left.values()].filter(({ name }) => !referred.has(name))
    if (free.length === 0)
      throw new Error(`Expected no circular references between tables, but found one: ${[...left.keys()].join()}.`)
    for (const table of free) left.delete(table.name)
    ordered.push(...free)
  }
  return ordered
}
