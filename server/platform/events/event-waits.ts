import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { LAST_SEQUENCE } from './last-sequence.ts'

/**
 * Manages requests that wait for events. A waiting request uses a timer, but no connection or transaction. A single
 * short query checks whether any organization with waiting requests has new events. The query runs every second, and
 * immediately after this process has dispatched events. Therefore, events from other processes are noticed within a
 * second.
 */
export interface EventWaits {
  /** Returns the sequence of the last event of the organization. */
  last(organizationId: string): Promise<number>
  /**
   * Resolves to true when the organization has events after the sequence, or when the time has passed. Resolves to
   * false immediately if too many requests are already waiting.
   */
  beyond(organizationId: string, sequence: number, ms: number): Promise<boolean>
  /** Call this function after this process has dispatched events. */
  dispatched(): void
  /** Ends all waits and prevents new ones. */
  stop(): void
}

/**
 * The maximum number of waiting requests in one process. Each waiting request uses a few kilobytes. Further requests
 * receive an immediate response.
 */
const MAX_WAITING_REQUESTS = 1000
const POLL_INTERVAL_MS = 1000

interface WaitingRequest {
  readonly organizationId: string
  readonly sequence: number
  readonly end: () => void
}

export function createEventWaits(database: Database): EventWaits {
  const waiting = new Set<WaitingRequest>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isAskedAgain = false
  let isStopped = false

  async function sequences(organizationIds: readonly string[]): Promise<Map<string, number>> {
    const { rows } = await sql<{ id: string; last: number }>`
      select o."id", ${LAST_SEQUENCE} as "last" from "organizations" as o
      where o."id" = any(${[...organizationIds]}::text[])`.execute(database.statements)
    return new Map(rows.map(({ id, last }) => [id, last]))
  }

  async function look(): Promise<void> {
    isAskedAgain = isLooking
    if (isLooking || waiting.size === 0) return
    isLooking = true
    try {
      const last = await sequences([...new Set([...waiting].map(({ organizationId }) => organizationId))])
      for (const each of waiting) if ((last.get(each.organizationId) ?? 0) > each.sequence) each.end()
    } catch {
      // The database is unavailable. The requests continue to wait, because the next check may succeed.
    }
    isLooking = false
    if (isAskedAgain) await look()
  }

  function watch(): void {
    clearInterval(timer)
    timer = waiting.size > 0 ? setInterval(() => void look(), POLL_INTERVAL_MS) : undefined
  }

  return {
    async last(organizationId) {
      return (await sequences([organizationId])).get(organizationId) ?? 0
    },

    beyond(organizationId, sequence, ms) {
      if (isStopped || waiting.size >= MAX_WAITING_REQUESTS) return Promise.resolve(false)
      return new Promise((done) => {
        const end = () => {
          clearTimeout(over)
          waiting.delete(each)
          if (waiting.size === 0) watch()
          done(!isStopped)
        }
        const each: WaitingRequest = { organizationId, sequence, end }
        const over = setTimeout(end, ms)
        waiting.add(each)
        if (waiting.size === 1) watch()
        // Check immediately, because an event may have been dispatched after the caller's last check.
        void look()
      })
    },

    dispatched: () => void look(),

    stop() {
      isStopped = true
      for (const { end } of waiting) end()
    },
  }
}
