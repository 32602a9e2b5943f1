import { sql } from 'kysely'
import { EXTERNAL_IDENTIFIERS, Problem, type UniqueViolation, uniqueColumnOf, valueTaken } from '../problems/problem.ts'
import type { Tenant } from './call.ts'

/** A value that must be unique only among certain records: those that agree in other columns, or that count. */
interface UniqueName {
  readonly column: string
  readonly within: readonly string[]
  /** SQL condition of these records as `t`. It must match the unique index on the column. */
  readonly among: string
}

const UNIQUE_CODE: UniqueName = { column: 'code', within: [], among: 't."archivedAt" is null' }
/** Columns that must be unique in a table, in addition to the identifiers. */
const UNIQUE_NAMES: Readonly<Record<string, UniqueName>> = {
  communities: UNIQUE_CODE,
  costCodes: UNIQUE_CODE,
  options: UNIQUE_CODE,
  plans: UNIQUE_CODE,
  parts: { ...UNIQUE_CODE, column: 'sku' },
  homes: {
    column: 'lotNumber',
    within: ['communityId', 'block'],
    among: `t."status" <> 'cancelled' and (t."archivedAt" is null or t."status" = 'archived')`,
  },
}

/**
 * Returns the error to throw when the database has rejected a row. If other records have one of its unique values, the
 * problem says where to look for them, which is possible only after the transaction has ended.
 */
export function toUniqueConflict(error: unknown, table: string, row: object): unknown {
  const column = uniqueColumnOf(error)
  if (column === undefined || !(EXTERNAL_IDENTIFIERS.has(column) || UNIQUE_NAMES[table]?.column === column))
    return error
  const values = row as Record<string, unknown>
  if (typeof values[column] !== 'string') return error
  const found = valueTaken(column)
  found.held = { table, column, values }
  return found
}

/**
 * Returns the same error with the record that has the value, and all other values of the row that are already used: the
 * database stops at the first. Call it when statements are possible again.
 */
export async function withConflictingRecord(tenant: Tenant, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.held === null) return error
  const { column } = error.held
  const holders = await findConflictingRecords(tenant, error.held)
  const own = holders.get(column)
  if (own !== undefined) error.extras.conflictingId = own
  const [first] = error.extras.errors ?? []
  const isNamed = first?.pointer.endsWith(`/${column}`) === true
  if (first === undefined || !isNamed || holders.size < 2) return error
  const above = first.pointer.slice(0, -column.length)
  const others = [...holders].filter(([other]) => other !== column)
  const more = others.map(([other, id]) => ({
    ...{ pointer: `${above}${other}`, code: first.code },
    message: id === own ? first.message : `must be unique; ${id} already uses it`,
  }))
  error.extras.errors = [first, ...more]
  return error
}

/** Returns the records that have values of the row, by column. */
async function findConflictingRecords(
  { db, organizationId }: Tenant,
  { table, values }: UniqueViolation,
): Promise<ReadonlyMap<string, string>> {
  const name = UNIQUE_NAMES[table]
  const columns = [...EXTERNAL_IDENTIFIERS, ...(name === undefined ? [] : [name.column])]
  const lookups = columns.flatMap((column) => {
    const value = values[column]
    if (typeof value !== 'string') return []
    const isName = column === name?.column
    const within = isName
      ? name.within.map((each) => sql`and coalesce(t.${sql.id(each)}, '') = ${values[each] ?? ''}`)
      : []
    return sql<{ column: string; id: string }>`
      select ${column}::text as "column", t."id" from ${sql.table(table)} as t
      where t."organizationId" = ${organizationId} and t.${sql.id(column)} = ${value}
        and t."id" <> ${values.id ?? ''} ${sql.join(within, sql` `)} ${sql.raw(isName ? `and ${name.among}` : '')}`
  })
  if (lookups.length === 0) return new Map()
  const { rows } = await sql<{ column: string; id: string }>`${sql.join(lookups, sql` union all `)}`.execute(db)
  return new Map(rows.map(({ column, id }) => [column, id]))
}
