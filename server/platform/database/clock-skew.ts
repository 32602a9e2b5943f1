import { sql } from 'kysely'
import type { Clock } from '../runtime/clock.ts'
import type { Db } from './database.ts'

/**
 * The maximum difference between the clocks. With a larger difference, claims of half a minute would expire far too
 * early or too late.
 */
const MAX_SKEW_MS = 5000

/**
 * Returns a message for the operator if the clocks of this machine and of the database differ. Returns null if they
 * agree within the accuracy that the network delay allows. The clocks of all machines must agree, because each process
 * sets the expiration of its claims by its own clock.
 */
export async function describeClockSkew(db: Db, clock: Clock): Promise<string | null> {
  const askedMs = clock.nowMs()
  const { rows } = await sql<{
    ms: number
  }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "ms"`.execute(db)
  const answeredMs = clock.nowMs()
  // The database read its clock between these two times.
  const ms = rows[0]?.ms ?? answeredMs
  const aheadMs = Math.max(askedMs - ms, 0) - Math.max(ms - answeredMs, 0)
  if (Math.abs(aheadMs) < MAX_SKEW_MS) return null
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  return `The clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the database. Jobs can run late or twice. Synchronize the clocks of all machines, for example with NTP.`
}
