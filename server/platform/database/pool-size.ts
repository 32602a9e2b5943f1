/**
 * The maximum number of connections from one process to PostgreSQL. One connection is reserved for startup: for the
 * first attempt to reach the database, and then for migrations. Four processes with the default value fit PostgreSQL's
 * own default limit of 100 connections, three of which PostgreSQL reserves for operators.
 */
export const DEFAULT_CONNECTIONS = 24
/** With fewer connections, an organization at its limit would leave no connections for other organizations. */
export const MIN_CONNECTIONS = 4

const STARTUP_CONNECTIONS = 1

export function computePoolSize(connections: number): number {
  return connections - STARTUP_CONNECTIONS
}

/** Returns the number of connections in the pool that one organization can use at a time. */
export function computeConnectionShare(pool: number): number {
  return Math.max(1, Math.floor(pool / 2))
}
