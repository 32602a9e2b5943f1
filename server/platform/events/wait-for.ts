import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../calls/call.ts'

/** Where every event of a busy builder ends the wait and none is for this caller, it looks this often. */
const LOOK_AGAIN_MS = 250

/**
 * The page as soon as it has anything, or after so many seconds as it is then. Between two looks nothing of the database
 * is held. A call within a transaction, such as a step of a batch, does not wait: it would hold others up, and would not
 * see what comes.
 */
export async function waitFor<Page extends { readonly value: { readonly data: readonly unknown[] } }>(
  { surroundings: { eventWaits }, organizationId, isWriting }: Call,
  seconds: number,
  read: () => Promise<Page>,
): Promise<Page> {
  const endMs = performance.now() + seconds * 1000
  for (let looks = 1; ; looks++) {
    // Before the page is read, so that what comes in between ends the wait at once.
    const last = await eventWaits.last(organizationId)
    const page = await read()
    const leftMs = endMs - performance.now()
    if (page.value.data.length > 0 || leftMs <= 0 || isWriting) return page
    if (!(await eventWaits.beyond(organizationId, last, leftMs))) return page
    // The first event is mostly the one that was waited for.
    if (looks > 1) await pause(LOOK_AGAIN_MS)
  }
}
