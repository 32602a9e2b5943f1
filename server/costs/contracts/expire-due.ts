import type { Surroundings } from '../../http/call.ts'
import { systemCall } from '../../keys/principals.ts'
import { lockContract } from './changes.ts'
import * as contracts from './queries.ts'

/** How many are expired per run, so that a shutdown need not wait long; the next run is a second away. */
const MOST_AT_ONCE = 100

/**
 * Expires the active contracts whose last day is over in their organization's time zone. Any number of processes may do
 * so at once: whichever locks a contract first expires it, in its own transaction, and the others skip it.
 */
export async function expireContracts(surroundings: Surroundings): Promise<void> {
  const due = await contracts.due(surroundings.database.statements, surroundings.clock.now(), MOST_AT_ONCE)
  const failures: unknown[] = []
  for (const { organizationId, id } of due) {
    try {
      const call = await systemCall(surroundings, organizationId)
      await call.write(async (call) => {
        if (await contracts.lockActive(call, id)) await lockContract(call, id)
      })
    } catch (error) {
      // One that cannot be expired must not keep the others active.
      failures.push(error)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${due.length} contracts could not be expired.`)
}
