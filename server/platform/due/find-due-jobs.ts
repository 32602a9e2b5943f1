import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'

/**
 * Returns a select of the `organizationId` of everything that a job can process now. The select may only join rows of
 * the same organization, and has no order and no limit. One statement can then find the work of all jobs on all nodes of
 * a distributed database.
 */
export type DueSql = (now: Date) => RawBuilder<unknown>

/** Returns the names of the jobs that have something to do, with one statement. */
export async function findDueJobs(
  { statements, distributed }: Pick<Database, 'statements' | 'distributed'>,
  now: Date,
  jobs: ReadonlyMap<string, DueSql>,
): Promise<ReadonlySet<string>> {
  // A single server stops at the first row of each select, so the cost does not depend on the amount of waiting work.
  // Citus would send each select with a limit as a separate statement to all nodes.
  const limit = distributed ? sql`` : sql` limit 1`
  const selects = [...jobs].map(
    ([name, due]) => sql`(select d."organizationId", ${sql.lit(name)} as "job" from (${due(now)}) as d${limit})`,
  )
  const { rows } = await sql<{ job: string }>`
    select distinct "job" from (${sql.join(selects, sql` union all `)}) as due`.execute(statements)
  return new Set(rows.map(({ job }) => job))
}
