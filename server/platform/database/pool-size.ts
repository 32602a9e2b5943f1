/**
 * The maximum number of connections from one process to PostgreSQL. One of them is reserved for startup, where it is
 * used to reach the database and then for migrations. With the default value, four processes fit in the default limit
 * of PostgreSQL, which is 100 connections, of which three are reserved for operators.
 */
export const DEFAULT_CONNECTIONS = 24
/** With fewer connections, one organization could use all of them. */
export const MIN_CONNECTIONS = 4

const STARTUP_CONNECTIONS = 1

export function computePoolSize(connections: number): number {
  return connections - STARTUP_CONNECTIONS
}

/** Returns the number of pool connections that one organization can use at a time. */
export function computeConnectionShare(pool: number): number {
  return Math.max(1, Math.floor(pool / 2))
}
