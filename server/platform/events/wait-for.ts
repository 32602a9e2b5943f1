import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../calls/call.ts'

/** If every event of a busy builder ends the wait but none is for this caller, this is the interval between checks. */
const RECHECK_INTERVAL_MS = 250

/**
 * Returns the page as soon as it has any data, or as it is after this many seconds. No connection or lock is held
 * between two checks. A call within a transaction, such as a step of a batch, does not wait: it would block others, and
 * would not see new events.
 */
export async function waitForPage<Page extends { readonly value: { readonly data: readonly unknown[] } }>(
  { services: { eventWaits }, organizationId, isWriting }: Call,
  seconds: number,
  read: () => Promise<Page>,
): Promise<Page> {
  const endMs = performance.now() + seconds * 1000
  for (let looks = 1; ; looks++) {
    // Read before the page, so that an event in between ends the wait at once.
    const last = await eventWaits.last(organizationId)
    const page = await read()
    const leftMs = endMs - performance.now()
    if (page.value.data.length > 0 || leftMs <= 0 || isWriting) return page
    if (!(await eventWaits.beyond(organizationId, last, leftMs))) return page
    // The first event is usually the expected one, so only later checks pause.
    if (looks > 1) await pause(RECHECK_INTERVAL_MS)
  }
}
