import { inject } from 'vitest'
import { hasPostgres } from '../../scripts/processes/postgres.ts'

/**
 * Returns whether this run includes tests that do not depend on the database, such as tests of requests that are
 * rejected before any statement is sent. The suite runs on two databases, and one is enough for these tests. It is
 * PostgreSQL if available.
 */
export function isTestedHere(): boolean {
  return inject('postgres') !== null || !hasPostgres()
}
