import { inject } from 'vitest'
import { hasPostgres } from '../../scripts/processes/postgres.ts'

/**
 * Returns whether this run includes tests that do not depend on the database, such as requests that are rejected before
 * any statement. One of the two runs of the suite is enough for these tests: the run on PostgreSQL, if there is one.
 */
export function isTestedHere(): boolean {
  return inject('postgres') !== null || !hasPostgres()
}
