import { type RawBuilder, sql } from 'kysely'

/**
 * If the limit were a parameter, PostgreSQL would plan the statement for each call, because it must assume that a tenth
 * of the table is requested. Planning takes half as long as reading the page. Therefore, common limits are literals,
 * and each of them results in a separate statement.
 */
export const COMMON_LIMITS: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200])

/**
 * Returns the number of rows to read for a page, which is one more than the size of the page, to detect whether there
 * is a next page.
 */
export function toFetchLimitSql(limit: number): RawBuilder<unknown> {
  return COMMON_LIMITS.has(limit) ? sql.lit(limit + 1) : sql`${limit + 1}`
}
