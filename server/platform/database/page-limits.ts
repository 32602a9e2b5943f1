import { type RawBuilder, sql } from 'kysely'

/**
 * If the limit is a parameter, PostgreSQL plans the statement on each call, because it must assume that a tenth of the
 * table is requested. Planning takes half as long as reading the page. Common limits are therefore written as literals,
 * and each limit results in a separate statement.
 */
export const COMMON_LIMITS: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200])

/**
 * Returns the number of rows to fetch for a page: one more row than the page holds, which shows whether there is a next
 * page.
 */
export function toFetchLimitSql(limit: number): RawBuilder<unknown> {
  return COMMON_LIMITS.has(limit) ? sql.lit(limit + 1) : sql`${limit + 1}`
}
