/**
 * The connections of one process to PostgreSQL. One is reserved for startup: for the first attempt to reach the database,
 * and then for migrations. Four processes with the default fit PostgreSQL's own default of 100, three of which
 * PostgreSQL keeps for its operators.
 */
export const DEFAULT_CONNECTIONS = 24
/** With fewer connections, an organization at its limit would leave none for others. */
export const MIN_CONNECTIONS = 4

const STARTUP_CONNECTIONS = 1

export function poolSizeFor(connections: number): number {
  return connections - STARTUP_CONNECTIONS
}

/** Returns how many connections of the pool one organization can use at a time. */
export function connectionsPerOrganization(pool: number): number {
  return Math.max(1, Math.floor(pool / 2))
}
