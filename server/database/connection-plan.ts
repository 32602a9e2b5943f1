/**
 * How the connections of one process to PostgreSQL are divided, so that one figure says how many there are. Four
 * processes with the default fit a PostgreSQL with its own default of 100, of which it keeps three for its operators.
 */
export interface ConnectionPlan {
  /** For transactions, each of which has a connection to itself. */
  transactions: number
  /** For the single statements of calls, which share connections. */
  calls: Lanes
  /** For the single statements of everything that works for no single builder: authentication, jobs, deliveries. */
  others: Lanes
}

export interface Lanes {
  /** Few connections make large batches, which suits reads. */
  reading: number
  /** A write that waits for the disk delays those behind it, so writes have more. */
  writing: number
  /** For reads known to be slow or large, so that they delay nobody else's. */
  burdened: number
}

const READING = 3
const BURDENED = 2
// Nothing of theirs is asked for by a caller who waits for its turn, and none is heavy for a builder.
const OTHERS: Lanes = { reading: 1, writing: 2, burdened: 0 }
/** Migrations, and the first attempt to reach the database, have a connection of their own, soon after startup. */
const AT_STARTUP = 1

const FIXED = READING + BURDENED + OTHERS.reading + OTHERS.writing + AT_STARTUP

/** With fewer there would be none for transactions, or none for writes. */
export const LEAST_CONNECTIONS = FIXED + 2
export const USUAL_CONNECTIONS = 24

export function divided(connections: number): ConnectionPlan {
  const rest = connections - FIXED
  const transactions = Math.floor((rest * 2) / 3)
  return { transactions, calls: { reading: READING, writing: rest - transactions, burdened: BURDENED }, others: OTHERS }
}
