import { type RawBuilder, sql } from 'kysely'

/**
 * A limit that is a parameter makes PostgreSQL plan the statement anew each time, because for all it knows a tenth of the
 * table is wanted; that takes it half as long as the page itself. So the limits that are asked for often are written out,
 * and each makes a statement of its own.
 */
export const USUAL_LIMITS: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200])

/** The rows to ask for to fill a page: one more than it holds, which tells whether there is another. */
export function rowsForPage(limit: number): RawBuilder<unknown> {
  return USUAL_LIMITS.has(limit) ? sql.lit(limit + 1) : sql`${limit + 1}`
}
