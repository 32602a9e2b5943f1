/**
 * The connections of one process to PostgreSQL. One is reserved for startup: for the first attempt to reach the database,
 * and then for migrations. Four processes with the default fit PostgreSQL's own default of 100, three of which
 * PostgreSQL keeps for its operators.
 */
export const DEFAULT_CONNECTIONS = 24
/** With fewer connections, an organization at its limit would leave none for others. */
export const LEAST_CONNECTIONS = 4

const AT_STARTUP = 1

export function poolSize(connections: number): number {
  return connections - AT_STARTUP
}

/** Returns how many connections of the pool one organization can use at a time. */
export function shareOf(pool: number): number {
  return Math.max(1, Math.floor(pool / 2))
}
