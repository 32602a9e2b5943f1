import { inject } from 'vitest'
import { hasPostgres } from '../../scripts/processes/postgres.ts'

/**
 * Whether this run tests what the database has no part in, such as what is refused before a statement. Of the two runs of
 * the suite one is enough for that: the one on PostgreSQL, where there is one.
 */
export function isTestedHere(): boolean {
  return inject('postgres') !== null || !hasPostgres()
}
