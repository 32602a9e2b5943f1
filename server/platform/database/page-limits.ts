import { type RawBuilder, sql } from 'kysely'

/**
 * With the limit as a parameter, PostgreSQL plans the statement each time, because it must assume that a tenth of the
 * table is wanted. That takes half as long as the page itself. So common limits are written as literals, and each makes
 * its own statement.
 */
export const COMMON_LIMITS: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200])

/** Returns the number of rows to fetch for a page: one more than it holds, which shows whether there is a next page. */
export function limitForPage(limit: number): RawBuilder<unknown> {
  return COMMON_LIMITS.has(limit) ? sql.lit(limit + 1) : sql`${limit + 1}`
}
