import { sql } from 'kysely'
import type { Principal } from '../calls/call.ts'
import type { Database } from '../database/database.ts'
import type { FailureLog } from '../problems/failure-log.ts'
import type { Clock } from '../runtime/clock.ts'

/**
 * Counts the requests of each key per day (UTC). The counts are only for display. They are kept in memory and stored
 * every few seconds, so a request costs only two lookups in maps. A process that crashes loses the counts of a few
 * seconds. The exact counts for enforcing limits are in rate-limits.ts.
 */
export interface UsageCounts {
  /** Counts a request of a key. `isRefused` is true if a limit has rejected the request. */
  count(principal: Principal, isRefused: boolean): void
  /** Stores the current counts. */
  write(): Promise<void>
  /** Stores the counts and stops counting. */
  stop(): Promise<void>
}

const WRITE_INTERVAL_MS = 5000
const DAY_MS = 86_400_000
/**
 * The maximum number of rows per statement. In a few seconds, a process usually receives requests from far fewer keys.
 */
const BATCH_ROWS = 1000

interface KeyUsage {
  organizationId: string
  requests: number
  refused: number
}

/** The usage by day (in days since 1970) and by key. */
type UsageByDay = Map<number, Map<string, KeyUsage>>

export function createUsageCounts(database: Database, clock: Clock, failures: FailureLog): UsageCounts {
  // While the database is unavailable, no other keys can be authenticated, so the map does not grow.
  let held: UsageByDay = new Map()
  let writing: Promise<void> = Promise.resolve()

  function countOf(day: number, keyId: string, organizationId: string): KeyUsage {
    let keys = held.get(day)
    if (keys === undefined) {
      keys = new Map()
      held.set(day, keys)
    }
    let count = keys.get(keyId)
    if (count === undefined) {
      count = { organizationId, requests: 0, refused: 0 }
      keys.set(keyId, count)
    }
    return count
  }

  async function writeHeld(): Promise<void> {
    const rows = toSortedRows(held)
    held = new Map()
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      try {
        await addToDatabase(database, rows.slice(at, at + BATCH_ROWS))
        failures.succeeded('writeUsage')
      } catch (error) {
        // Keep the remaining rows for the next time.
        for (const { dayNumber, keyId, organizationId, requests, refused } of rows.slice(at)) {
          const count = countOf(dayNumber, keyId, organizationId)
          count.requests += requests
          count.refused += refused
        }
        failures.failed('writeUsage', error)
        return
      }
    }
  }

  // Only one write runs at a time, so that a slow database does not have to process two.
  function write(): Promise<void> {
    writing = writing.then(writeHeld)
    return writing
  }
  let isWaiting = false
  const timer = setInterval(() => {
    if (isWaiting || held.size === 0) return
    isWaiting = true
    void write().finally(() => {
      isWaiting = false
    })
  }, WRITE_INTERVAL_MS).unref()

  return {
    count({ id, organization }, isRefused) {
      const count = countOf(Math.floor(clock.nowMs() / DAY_MS), id ?? '', organization.id)
      if (isRefused) count.refused++
      else count.requests++
    },
    write,
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}

interface UsageRow extends KeyUsage {
  keyId: string
  dayNumber: number
}

/** Returns the rows in the order of the primary key, so that concurrent processes lock them in the same order. */
function toSortedRows(counts: UsageByDay): UsageRow[] {
  const rows = [...counts].flatMap(([dayNumber, keys]) =>
    [...keys].map(([keyId, count]) => ({ ...count, keyId, dayNumber })),
  )
  return rows.sort((a, b) => compare(a.keyId, b.keyId) || a.dayNumber - b.dayNumber)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

async function addToDatabase(database: Database, rows: readonly UsageRow[]): Promise<void> {
  const written = rows.map(({ organizationId, keyId, dayNumber, requests, refused }) => ({
    ...{ organizationId, keyId, requests, refused },
    day: new Date(dayNumber * DAY_MS).toISOString().slice(0, 10),
  }))
  // Counts nothing for keys that no longer exist, because their builder was erased.
  await sql`
    insert into "usageDays" ("organizationId", "keyId", "day", "requests", "refused")
    select c."organizationId", c."keyId", c."day", c."requests", c."refused"
    from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
      as c("organizationId" text, "keyId" text, "day" date, "requests" integer, "refused" integer)
    join "apiKeys" as k on k."organizationId" = c."organizationId" and k."id" = c."keyId"
    order by c."organizationId", c."keyId", c."day"
    on conflict ("organizationId", "keyId", "day") do update set
      "requests" = "usageDays"."requests" + excluded."requests",
      "refused" = "usageDays"."refused" + excluded."refused"`.execute(database.statements)
}
