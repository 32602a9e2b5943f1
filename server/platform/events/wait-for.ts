import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../calls/call.ts'

/**
 * The minimum interval between checks. The interval limits the load if a builder has many events but none of them is
 * for this caller.
 */
const RECHECK_INTERVAL_MS = 250

/**
 * Returns the page when it contains data, or after the given number of seconds even if it is empty. Between two checks,
 * no connection or lock is in use. A call within a transaction, such as a step of a batch, does not wait, because it
 * would block other calls and could not see new events.
 */
export async function waitForPage<Page extends { readonly value: { readonly data: readonly unknown[] } }>(
  { services: { eventWaits }, organizationId, isWriting }: Call,
  seconds: number,
  read: () => Promise<Page>,
): Promise<Page> {
  const endMs = performance.now() + seconds * 1000
  for (let looks = 1; ; looks++) {
    // Read the sequence before the page, so that an event between the two reads ends the wait immediately.
    const last = await eventWaits.last(organizationId)
    const page = await read()
    const leftMs = endMs - performance.now()
    if (page.value.data.length > 0 || leftMs <= 0 || isWriting) return page
    if (!(await eventWaits.beyond(organizationId, last, leftMs))) return page
    // Usually, the first event is the expected one, so pause only before further checks.
    if (looks > 1) await pause(RECHECK_INTERVAL_MS)
  }
}
