import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'

/**
 * Returns a SELECT statement for the `organizationId` of everything that a job can currently process. The statement
 * must join only rows of the same organization, and must have no order and no limit. A single statement can then find
 * the work of all jobs, even on all nodes of a distributed database.
 */
export type DueSql = (now: Date) => RawBuilder<unknown>

/** Returns the names of the jobs that currently have work, using one statement. */
export async function findDueJobs(
  { statements, distributed }: Pick<Database, 'statements' | 'distributed'>,
  now: Date,
  jobs: ReadonlyMap<string, DueSql>,
): Promise<ReadonlySet<string>> {
  // With a limit, a single server stops at the first row of each SELECT, so the cost does not depend on the amount of
  // work. Citus would send each SELECT with a limit to all nodes as a separate statement.
  const limit = distributed ? sql`` : sql` limit 1`
  const selects = [...jobs].map(
    ([name, due]) => sql`(select d."organizationId", ${sql.lit(name)} as "job" from (${due(now)}) as d${limit})`,
  )
  const { rows } = await sql<{ job: string }>`
    select distinct "job" from (${sql.join(selects, sql` union all `)}) as due`.execute(statements)
  return new Set(rows.map(({ job }) => job))
}
