import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { type StoredRow, toColumnListSql } from '../builder-data/export-kinds.ts'
import type { AgedKind } from './aged-kinds.ts'

/** A builder's rows of one kind that were created before the given time, in milliseconds. */
export interface AgedRows {
  kind: AgedKind
  organizationId: string
  before: number
}

/**
 * Returns the IDs of builders that have a row of the kind created before this time. They are sorted and start after the
 * given builder.
 */
export async function listOrganizationsWithOldRows(
  db: Db,
  { table, at, where, order }: AgedKind,
  before: number,
  last: string,
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select o."id" from "organizations" as o cross join lateral (
      select ${sql.ref(at)} as "at" from ${sql.table(table)}
      where "organizationId" = o."id" and ${sql.raw(where ?? 'true')} order by ${toColumnListSql(order)} limit 1) as oldest
    where o."id" > ${last} and oldest."at" < ${new Date(before).toISOString()} order by o."id" limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The rows to read: their maximum number, the row after which to start, and the columns besides the IDs. */
export interface RowPage {
  after: StoredRow | undefined
  most: number
  columns: readonly string[]
}

/**
 * Returns the oldest rows in order of creation, with their creation time as `madeAt`. Stops at the first row that is
 * not old enough. Later rows are newer, apart from the few seconds that a transaction takes.
 */
export async function readOldestRows(
  db: Db,
  { kind, organizationId, before }: AgedRows,
  page: RowPage,
): Promise<StoredRow[]> {
  const { table, order, where } = kind
  const { after, most } = page
  const beyond = after
    ? sql`(${toColumnListSql(order)}) > (${sql.join(order.map((column) => after[column]))})`
    : sql`true`
  const { rows } = await sql<StoredRow>`
    select ${toColumnListSql([...new Set(['id', ...order, ...page.columns])])}, ${sql.ref(kind.at)} as "madeAt"
    from ${sql.table(table)} where "organizationId" = ${organizationId} and ${sql.raw(where ?? 'true')} and ${beyond}
    order by ${toColumnListSql(order)} limit ${most}`.execute(db)
  const end = rows.findIndex(({ madeAt }) => Date.parse(String(madeAt)) >= before)
  return end < 0 ? rows : rows.slice(0, end)
}

/**
 * Deletes the rows, except those that another transaction has locked or deleted. Returns the number of deleted rows.
 */
export async function deleteRows(trx: Db, { kind, organizationId }: AgedRows, ids: readonly string[]): Promise<number> {
  const table = sql.table(kind.table)
  const { numAffectedRows = 0n } = await sql`
    delete from ${table} where "organizationId" = ${organizationId} and "id" = any(array(
      select "id" from ${table} where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[])
      for update skip locked))`.execute(trx)
  return Number(numAffectedRows)
}
