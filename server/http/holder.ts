import { sql } from 'kysely'
import type { Tenant } from './call.ts'
import { IDENTIFIERS, Problem, taken, uniqueColumn } from './problem.ts'

/**
 * What is to be thrown when the database has refused a row. Where another record has one of its identifiers, the problem
 * says where to look for that record, which nobody can do before the transaction has ended.
 */
export function refusedRow(error: unknown, table: string, row: object): unknown {
  const column = uniqueColumn(error)
  if (column === undefined || !IDENTIFIERS.has(column)) return error
  const value = (row as Record<string, unknown>)[column]
  if (typeof value !== 'string') return error
  const found = taken(column)
  found.held = { table, column, value }
  return found
}

/** The same error, naming the record that has the identifier. Called where statements are possible again. */
export async function withHolder({ db, organizationId }: Tenant, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.held === null) return error
  const { table, column, value } = error.held
  const { rows } = await sql<{ id: string }>`
    select "id" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and ${sql.id(column)} = ${value}`.execute(db)
  const [holder] = rows
  if (holder !== undefined) error.extras.conflictingId = holder.id
  return error
}
