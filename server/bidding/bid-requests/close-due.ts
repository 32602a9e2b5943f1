import type { Surroundings } from '../../http/call.ts'
import { systemCall } from '../../keys/principals.ts'
import { closeBidding } from './changes.ts'
import * as requests from './queries.ts'

/** How many are closed per run, so that a shutdown need not wait long; the next run is a second away. */
const MOST_AT_ONCE = 100

/**
 * Closes the bid requests whose deadline has passed, even if nobody reads them. Any number of processes may do so at
 * once: whichever locks a request first closes it, in its own transaction, and the others skip it.
 */
export async function closeDueBidRequests(surroundings: Surroundings): Promise<void> {
  const due = await requests.due(surroundings.database.statements, surroundings.clock.now(), MOST_AT_ONCE)
  const failures: unknown[] = []
  for (const { organizationId, id } of due) {
    try {
      const call = await systemCall(surroundings, organizationId)
      await call.write(async (call) => {
        const request = await requests.lockDue(call, id, call.now)
        if (request !== undefined) await closeBidding(call, request)
      })
    } catch (error) {
      // One that cannot be closed must not keep the others open.
      failures.push(error)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${due.length} bid requests could not be closed.`)
}
