import { sql } from 'kysely'
import {
  createValueTakenProblem,
  EXTERNAL_IDENTIFIERS,
  findUniqueColumn,
  Problem,
  type UniqueViolation,
} from '../problems/problem.ts'
import { isTypedKeyColumn } from '../values/typed-keys.ts'
import type { Tenant } from './call.ts'

/**
 * A value that must be unique among certain records, for example among those that are not archived or that are in the
 * same community.
 */
interface UniqueName {
  readonly column: string
  readonly within: readonly string[]
  /** The SQL condition for these records `t`. It must match the condition of the unique index on the column. */
  readonly among: string
}

const UNIQUE_CODE: UniqueName = { column: 'code', within: [], among: 't."archivedAt" is null' }
/** For each table, the column that must be unique in addition to the external identifiers. */
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
 * Returns the error to throw after the database has rejected a row. If another record already has a unique value of the
 * row, the error contains the data for finding that record, which is possible only after the transaction has ended.
 */
export function toUniqueConflict(error: unknown, table: string, row: object): unknown {
  const column = findUniqueColumn(error)
  if (column === undefined || !(EXTERNAL_IDENTIFIERS.has(column) || UNIQUE_NAMES[table]?.column === column))
    return error
  const values = row as Record<string, unknown>
  if (typeof values[column] !== 'string') return error
  const found = createValueTakenProblem(column)
  found.held = { table, column, values }
  return found
}

/**
 * Returns the error with the conflicting record and all other values of the row that are already in use. The database
 * reports only the first conflict. Must be called after the transaction has ended, when the database accepts statements
 * again.
 */
export async function addConflictingRecord(tenant: Tenant, error: unknown): Promise<unknown> {
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

/** Returns the IDs of the records that already have a unique value of the row, by column. */
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
      ? name.within.map((each) =>
          isTypedKeyColumn(table, each)
            ? sql`and t.${sql.id(`${each}Key`)} = "typedKey"(${values[each] ?? ''})`
            : sql`and coalesce(t.${sql.id(each)}, '') = ${values[each] ?? ''}`,
        )
      : []
    const isSame = isTypedKeyColumn(table, column)
      ? sql`t.${sql.id(`${column}Key`)} = "typedKey"(${value})`
      : sql`t.${sql.id(column)} = ${value}`
    return sql<{ column: string; id: string }>`
      select ${column}::text as "column", t."id" from ${sql.table(table)} as t
      where t."organizationId" = ${organizationId} and ${isSame}
        and t."id" <> ${values.id ?? ''} ${sql.join(within, sql` `)} ${sql.raw(isName ? `and ${name.among}` : '')}`
  })
  if (lookups.length === 0) return new Map()
  const { rows } = await sql<{ column: string; id: string }>`${sql.join(lookups, sql` union all `)}`.execute(db)
  return new Map(rows.map(({ column, id }) => [column, id]))
}
