import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../calls/call.ts'

/** The interval between checks when every event of a busy builder ends the wait, but no event is for this caller. */
const RECHECK_INTERVAL_MS = 250

/**
 * Returns the page as soon as it contains data. After this many seconds, returns the page even if it is empty. No
 * connection or lock is held between two checks. A call within a transaction, such as a step of a batch, does not wait.
 * Such a call would block other calls, and would not see new events.
 */
export async function waitForPage<Page extends { readonly value: { readonly data: readonly unknown[] } }>(
  { services: { eventWaits }, organizationId, isWriting }: Call,
  seconds: number,
  read: () => Promise<Page>,
): Promise<Page> {
  const endMs = performance.now() + seconds * 1000
  for (let looks = 1; ; looks++) {
    // The sequence is read before the page, so that an event in between ends the wait immediately.
    const last = await eventWaits.last(organizationId)
    const page = await read()
    const leftMs = endMs - performance.now()
    if (page.value.data.length > 0 || leftMs <= 0 || isWriting) return page
    if (!(await eventWaits.beyond(organizationId, last, leftMs))) return page
    // The first event is usually the expected event, so the process pauses only before later checks.
    if (looks > 1) await pause(RECHECK_INTERVAL_MS)
  }
}
